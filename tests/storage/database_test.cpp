// What opening a database file can come to, and how trouble with it is told.
#include <SQLiteCpp/SQLiteCpp.h>
#include <sqlite3.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "storage/migrations.h"
#include "store_fixture.h"

namespace tidemark::storage {
using testing::HasSubstr;

namespace {

class DatabaseTest : public StoreTest {
 protected:
  SQLite::Database raw() const { return SQLite::Database(file.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE); }
  std::vector<std::string> column(const std::string& sql) const {
    std::vector<std::string> values;
    SQLite::Database database = raw();
    for (SQLite::Statement query(database, sql); query.executeStep();) values.push_back(query.getColumn(0).getString());
    return values;
  }
  Error openingError() const {
    auto store = RunStore::open(file);
    EXPECT_FALSE(store.ok());
    return store.ok() ? Error{} : store.error();
  }
};

}  // namespace

TEST_F(DatabaseTest, FreshFileGetsTheWholeSchema) {
  openStore();
  EXPECT_THAT(column("SELECT name FROM sqlite_master WHERE type = 'table'"),
              testing::IsSupersetOf({"runs", "hyperparameters", "metrics", "evaluations", "operators", "timelines", "plans", "models",
                                     "datasets", "checkpoints", "samples", "tags", "notes", "log", "events_applied"}));
  EXPECT_EQ(column("PRAGMA user_version"), std::vector<std::string>{std::to_string(migrations().size())});
  EXPECT_EQ(column("PRAGMA integrity_check"), std::vector<std::string>{"ok"});
  const bool usesWal = sqlite3_libversion_number() >= 3051003;
  EXPECT_EQ(column("PRAGMA journal_mode")[0] == "wal", usesWal);
}

TEST_F(DatabaseTest, ReopeningKeepsWhatIsThere) {
  std::string id;
  {
    const auto store = openStore();
    id = makeRun(*store, "kept");
  }
  EXPECT_EQ(openStore()->run(id)->name, "kept");
}

TEST_F(DatabaseTest, OlderFileIsMigratedStepByStep) {
  std::filesystem::create_directories(file.parent_path());
  const Migration steps[] = {{"CREATE TABLE a (x INTEGER); INSERT INTO a VALUES (1);"},
                             {"ALTER TABLE a ADD COLUMN y INTEGER NOT NULL DEFAULT 7;"},
                             {"CREATE TABLE b AS SELECT y FROM a;"}};
  Database database(file);
  ASSERT_TRUE(migrate(database, file, std::span(steps).first(1)).ok());
  EXPECT_EQ(column("PRAGMA user_version")[0], "1");
  ASSERT_TRUE(migrate(database, file, steps).ok());
  EXPECT_EQ(column("PRAGMA user_version")[0], "3");
  EXPECT_EQ(column("SELECT y FROM b")[0], "7");
}

TEST_F(DatabaseTest, FailedMigrationLeavesTheVersionBefore) {
  std::filesystem::create_directories(file.parent_path());
  const Migration steps[] = {{"CREATE TABLE a (x INTEGER);"}, {"CREATE TABLE b (x INTEGER); INSERT INTO missing VALUES (1);"}};
  Database database(file);
  const Status status = guarded("db", [&] { return migrate(database, file, steps); });
  ASSERT_FALSE(status.ok());
  EXPECT_THAT(status.error().message(), HasSubstr("missing"));
  EXPECT_EQ(column("PRAGMA user_version")[0], "1");
  EXPECT_THAT(column("SELECT name FROM sqlite_master"), testing::ElementsAre("a"));
}

TEST_F(DatabaseTest, NewerSchemaIsRefusedWithBothVersions) {
  openStore();
  raw().exec("PRAGMA user_version = 4711");
  const Error error = openingError();
  EXPECT_EQ(error.code, ErrorCode::Unsupported);
  EXPECT_THAT(error.message(), HasSubstr("version 4711"));
  EXPECT_THAT(error.message(), HasSubstr("up to " + std::to_string(migrations().size())));
  EXPECT_EQ(column("PRAGMA user_version")[0], "4711");
}

TEST_F(DatabaseTest, FileOfAnotherProgramIsRefusedUntouched) {
  std::filesystem::create_directories(file.parent_path());
  raw().exec("CREATE TABLE songs (title TEXT)");
  EXPECT_THAT(openingError().message(), HasSubstr("another program"));
  EXPECT_EQ(column("SELECT name FROM sqlite_master").size(), 1u);
}

TEST_F(DatabaseTest, TextFileIsNoDatabase) {
  std::filesystem::create_directories(file.parent_path());
  append(file, std::string(8192, 'x'));
  const Error error = openingError();
  EXPECT_EQ(error.code, ErrorCode::InvalidInput);
  EXPECT_THAT(error.message(), HasSubstr("damaged or not a database"));
}

TEST_F(DatabaseTest, DamagedPagesAreTold) {
  {
    const auto store = openStore();
    const std::string id = makeRun(*store, "damaged");
    std::vector<run::Event> events;
    for (int64_t step = 1; step <= 2000; ++step) events.push_back(stepEvent(step, 1));
    EXPECT_OK(store->applyEvents(id, 0, events));
  }
  std::fstream bytes(file, std::ios::in | std::ios::out | std::ios::binary);
  const auto size = static_cast<std::streamoff>(std::filesystem::file_size(file));
  for (std::streamoff page = 4096; page < size; page += 4096) {
    bytes.seekp(page);
    bytes << std::string(64, '\xff');
  }
  bytes.close();
  auto store = RunStore::open(file);
  const Error error = store.ok() ? (*store)->runs({}).error() : store.error();
  EXPECT_EQ(error.code, ErrorCode::InvalidInput);
  EXPECT_THAT(error.message(), HasSubstr("damaged"));
}

TEST_F(DatabaseTest, LockedFileIsBusy) {
  const auto store = openStore();
  const std::string id = makeRun(*store, "locked");
  SQLite::Database other = raw();
  other.exec("BEGIN EXCLUSIVE");
  const int64_t before = store->changeCounter();  // does not wait
  EXPECT_EQ(store->changeCounter(), before);
  const Status status = store->rename(id, "new");
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, ErrorCode::Busy);
  EXPECT_EQ(store->applyEvents(id, 0, {startedEvent(false)}).error().code, ErrorCode::Busy);
  other.exec("ROLLBACK");
  EXPECT_OK(store->rename(id, "new"));
  EXPECT_OK(store->applyEvents(id, 0, {startedEvent(false)}));
}

TEST_F(DatabaseTest, ReadingDoesNotLockOutWriters) {
  const auto reader = openStore(), writer = openStore();
  const std::string id = makeRun(*writer, "shared");
  EXPECT_OK(reader->findRun("shared"));
  EXPECT_OK(reader->runs({.limit = 1}));
  EXPECT_OK(reader->timelineIterations(id, 0));
  EXPECT_FALSE(reader->timeline(id, 0, -1).ok());
  SQLite::Database other = raw();
  other.exec("PRAGMA busy_timeout = 0");
  EXPECT_NO_THROW(other.exec("BEGIN EXCLUSIVE; ROLLBACK"));  // no statement holds a lock
}

TEST_F(DatabaseTest, FolderThatMayNotBeWrittenIsTold) {
  if (::geteuid() == 0) {
    file = "/proc/tidemark/tidemark.db";
  } else {
    std::filesystem::permissions(folder, std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
  }
  EXPECT_EQ(openingError().code, ErrorCode::Io);
  if (::geteuid() != 0) std::filesystem::permissions(folder, std::filesystem::perms::owner_all);
}

// A limit on the file size stands for the full disk; only a child can take it on itself.
TEST_F(DatabaseTest, FullDiskIsAnErrorAndLosesNothing) {
  std::string id;
  {
    const auto store = openStore();
    id = makeRun(*store, "full");
  }
  const pid_t child = ::fork();
  if (child == 0) {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{std::filesystem::file_size(file) + 65536, RLIM_INFINITY};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    auto store = RunStore::open(file);
    if (!store.ok()) ::_exit(2);
    if (!(*store)->applyEvents(id, 0, {stepEvent(1, 1)}).ok()) ::_exit(3);
    std::vector<run::Event> many;
    for (int64_t step = 2; step < 3000; ++step) many.push_back(stepEvent(step, 1));
    const Status status = (*store)->applyEvents(id, 1, many);
    if (status.ok() || status.error().code != ErrorCode::Io) ::_exit(4);
    ::_exit((*store)->runs({}).ok() ? 0 : 5);
  }
  int state = 0;
  ASSERT_EQ(::waitpid(child, &state, 0), child);
  EXPECT_TRUE(WIFEXITED(state));
  EXPECT_EQ(WEXITSTATUS(state), 0);
  EXPECT_THAT(stepNumbers(*openStore(), id), testing::ElementsAre(1));
  EXPECT_EQ(column("PRAGMA integrity_check")[0], "ok");
}

}  // namespace tidemark::storage
