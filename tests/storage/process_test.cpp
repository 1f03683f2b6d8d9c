// Several processes on one database, and processes that are killed in the middle of it.
#include <SQLiteCpp/SQLiteCpp.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <random>
#include <thread>

#include "store_fixture.h"

namespace tidemark::storage {

class ProcessTest : public StoreTest {
 protected:
  std::string check(const std::string& sql) const {
    SQLite::Database database(file.string(), SQLite::OPEN_READWRITE);
    return database.execAndGet(sql).getString();
  }
};

namespace {

// Runs `work` in a child, whose exit status is what it returns.
template <typename Work>
pid_t startChild(Work&& work) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(work());
  return child;
}

int exitStatusOf(pid_t child) {
  int state = 0;
  if (::waitpid(child, &state, 0) != child || !WIFEXITED(state)) return -1;
  return WEXITSTATUS(state);
}

// Applies one step after the other and tells each one through `pipe` as soon as the store has taken it.
int writeSteps(const std::filesystem::path& file, const std::string& id, int64_t first, int pipe) {
  auto store = RunStore::open(file);
  if (!store.ok()) return 1;
  for (int64_t step = first;; ++step) {
    if (!(*store)->applyEvents(id, step - 1, {stepEvent(step, 1)}).ok()) return 2;
    if (::write(pipe, &step, sizeof step) != static_cast<ssize_t>(sizeof step)) return 3;
  }
}

}  // namespace

TEST_F(ProcessTest, FourProcessesCreateAndFillOneDatabaseAtOnce) {
  constexpr int kProcesses = 4, kSteps = 25;
  std::vector<pid_t> children;
  for (int i = 0; i < kProcesses; ++i)
    children.push_back(startChild([&] {
      auto store = RunStore::open(file);
      if (!store.ok()) return 1;
      const std::string id = makeRun(**store, "process " + std::to_string(i));
      for (int64_t step = 1; step <= kSteps; ++step) {
        if (!(*store)->applyEvents(id, step - 1, {stepEvent(step, 1)}).ok()) return 2;
        if (!(*store)->runs({}).ok()) return 3;
      }
      return 0;
    }));
  for (const pid_t child : children) EXPECT_EQ(exitStatusOf(child), 0);
  const auto store = openStore();
  const auto runs = store->runs({});
  ASSERT_EQ(runs->size(), size_t{kProcesses});
  for (const auto& run : *runs) EXPECT_EQ(stepNumbers(*store, run.id).size(), size_t{kSteps}) << run.name;
}

TEST_F(ProcessTest, TwoProcessesImportOneRunWithoutDoublingIt) {
  std::string id;
  {
    const auto store = openStore();
    id = makeRun(*store, "shared");
    std::string text;
    for (int64_t i = 0; i < 3000; ++i) text += run::toJsonLine({1, 0, run::LogEvent{"info", std::to_string(i)}}) + "\n";
    append(eventFile(*store, id), text);
  }
  std::vector<pid_t> children;
  for (int i = 0; i < 2; ++i)
    children.push_back(startChild([&] {
      auto store = RunStore::open(file);
      return store.ok() && (*store)->importNewEvents(id).ok() ? 0 : 1;
    }));
  for (const pid_t child : children) EXPECT_EQ(exitStatusOf(child), 0);
  EXPECT_EQ(openStore()->log(id, 100000)->size(), 3000u);
}

TEST_F(ProcessTest, AWriterKilledFiftyTimesLosesNoAcknowledgedRow) {
  std::string id;
  {
    const auto store = openStore();
    id = makeRun(*store, "killed");
  }
  std::mt19937 random(7);
  int64_t acknowledged = 0;
  for (int round = 0; round < 50; ++round) {
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    const int64_t first = acknowledged + 1;
    const pid_t child = startChild([&] {
      ::close(ends[0]);
      return writeSteps(file, id, first, ends[1]);
    });
    ::close(ends[1]);
    int64_t step = 0;
    ASSERT_EQ(::read(ends[0], &step, sizeof step), static_cast<ssize_t>(sizeof step)) << "the writer never began";
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 20000));
    ASSERT_EQ(::kill(child, SIGKILL), 0);
    int state = 0;
    ASSERT_EQ(::waitpid(child, &state, 0), child);
    ASSERT_TRUE(WIFSIGNALED(state)) << "the writer ended by itself with " << WEXITSTATUS(state);
    do acknowledged = step;
    while (::read(ends[0], &step, sizeof step) == static_cast<ssize_t>(sizeof step));
    ::close(ends[0]);

    ASSERT_EQ(check("PRAGMA integrity_check"), "ok") << "round " << round;
    const auto steps = stepNumbers(*openStore(), id);
    const auto stored = static_cast<int64_t>(steps.size());
    ASSERT_GE(stored, acknowledged);
    ASSERT_LE(stored, acknowledged + 1);  // at most the one that was committed and not told any more
    ASSERT_EQ(steps.back(), stored);
    ASSERT_EQ(check("SELECT lines FROM events_applied"), std::to_string(stored)) << "rows and their count go together";
    acknowledged = stored;
  }
  EXPECT_GT(acknowledged, 50);
  EXPECT_EQ(check("SELECT count(*) FROM pragma_foreign_key_check"), "0");
}

}  // namespace tidemark::storage
