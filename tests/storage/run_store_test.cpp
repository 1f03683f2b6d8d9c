#include "storage/run_store.h"

#include <SQLiteCpp/SQLiteCpp.h>

#include <ctime>
#include <set>

#include "store_fixture.h"

namespace tidemark::storage {
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

// Not time on the clock: tests share the machine with others.
double processorSeconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr double kSanitizerFactor = 10;
#else
constexpr double kSanitizerFactor = 1;
#endif

std::vector<std::string> names(const Result<std::vector<RunRecord>>& runs) {
  std::vector<std::string> found;
  EXPECT_TRUE(runs.ok());
  if (runs.ok())
    for (const auto& run : *runs) found.push_back(run.name);
  return found;
}

}  // namespace

class RunStoreTest : public StoreTest {};

TEST_F(RunStoreTest, EveryFieldOfARunComesBack) {
  const auto store = openStore();
  RunRecord run;
  run.name = "n";
  run.directory = "/nowhere/run";
  run.status = RunStatus::Stopped;
  run.model = "m", run.modelFormat = "gguf", run.dataset = "d", run.policy = "pinned";
  run.ranks = 1, run.agentPid = 2, run.agentStartTicks = 3, run.createdAt = 4.5, run.finishedAt = 5.5, run.step = 6, run.maxSteps = 7;
  run.loss = 0.125, run.evalLoss = 0.25, run.tokensPerSecond = 0.5, run.secondsPerStep = 0.75;
  run.peakBytes = int64_t{1} << 40, run.budgetBytes = 9, run.remoteBytesPerIteration = 10, run.exitCode = 130;
  run.message = "msg", run.adapter = "/a", run.configYaml = "model: m\n", run.parameters = 11, run.trainableParameters = 12;
  const auto id = store->createRun(run, {{"b", "2"}, {"a", "1"}});
  ASSERT_TRUE(id.ok());
  EXPECT_EQ(id->size(), 26u);
  const auto read = store->run(*id);
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->id, *id);
  EXPECT_EQ(read->name, "n");
  EXPECT_EQ(read->directory, "/nowhere/run");
  EXPECT_EQ(read->status, RunStatus::Stopped);
  EXPECT_THAT((std::vector{read->model, read->modelFormat, read->dataset, read->policy}), ElementsAre("m", "gguf", "d", "pinned"));
  EXPECT_THAT((std::vector{read->ranks, read->agentPid, read->agentStartTicks, read->step, read->maxSteps}), ElementsAre(1, 2, 3, 6, 7));
  EXPECT_THAT((std::vector{read->createdAt, read->finishedAt}), ElementsAre(4.5, 5.5));
  EXPECT_THAT((std::vector{read->loss, read->evalLoss, read->tokensPerSecond, read->secondsPerStep}), ElementsAre(0.125, 0.25, 0.5, 0.75));
  EXPECT_THAT((std::vector{read->peakBytes, read->budgetBytes, read->remoteBytesPerIteration, read->exitCode}),
              ElementsAre(int64_t{1} << 40, 9, 10, 130));
  EXPECT_THAT((std::vector{read->message, read->adapter, read->configYaml}), ElementsAre("msg", "/a", "model: m\n"));
  EXPECT_THAT((std::vector{read->parameters, read->trainableParameters}), ElementsAre(11, 12));
  using Pairs = std::vector<std::pair<std::string, std::string>>;
  EXPECT_EQ(*store->hyperparameters(*id), (Pairs{{"b", "2"}, {"a", "1"}}));
}

TEST_F(RunStoreTest, WhatIsNotKnownYetIsEmpty) {
  const auto store = openStore();
  const auto run = store->run(makeRun(*store, "new"));
  EXPECT_EQ(run->status, RunStatus::Queued);
  EXPECT_FALSE(run->loss || run->evalLoss || run->tokensPerSecond || run->secondsPerStep || run->peakBytes || run->exitCode);
  EXPECT_GT(run->createdAt, 1.7e9);
  EXPECT_FALSE(store->model(run->id)->has_value());
  EXPECT_FALSE(store->dataset(run->id)->has_value());
}

TEST_F(RunStoreTest, IdsSortByCreation) {
  const auto store = openStore();
  std::vector<std::string> ids;
  for (int i = 0; i < 20; ++i) ids.push_back(makeRun(*store, "r" + std::to_string(i)));
  EXPECT_TRUE(std::is_sorted(ids.begin(), ids.end()));
  EXPECT_EQ(std::set<std::string>(ids.begin(), ids.end()).size(), 20u);
  EXPECT_EQ(names(store->runs({.limit = 3})), (std::vector<std::string>{"r19", "r18", "r17"}));
}

TEST_F(RunStoreTest, FindsByIdPrefixNameAndDirectory) {
  const auto store = openStore();
  const std::string older = makeRun(*store, "same"), newer = makeRun(*store, "other");
  EXPECT_OK(store->rename(newer, "same"));
  const std::string directory = store->run(older)->directory;
  EXPECT_EQ(store->findRun(older)->id, older);
  EXPECT_EQ(store->findRun("same").error().code, ErrorCode::InvalidInput);
  EXPECT_THAT(store->findRun("same").error().detail,
              testing::AllOf(HasSubstr("the name of 2 runs"), HasSubstr(newer + "  queued  "), HasSubstr(older + "  queued  " + directory)));
  EXPECT_EQ(store->findRun(directory)->id, older);
  EXPECT_EQ(store->findRun(directory + "/")->id, older);
  EXPECT_EQ(store->findRun(directory + "/../" + std::filesystem::path(directory).filename().string())->id, older);
  size_t common = 0;
  while (older[common] == newer[common]) ++common;
  EXPECT_EQ(store->findRun(older.substr(0, common + 1))->id, older);
  std::string lower = newer.substr(0, common + 1);
  for (char& c : lower) c = static_cast<char>(std::tolower(c));
  EXPECT_EQ(store->findRun(lower)->id, newer);
  const auto ambiguous = store->findRun(older.substr(0, common));
  ASSERT_FALSE(ambiguous.ok());
  EXPECT_THAT(ambiguous.error().message(), HasSubstr("begins the ids of 2 runs"));
  for (const std::string wanted : {"", "nothing", "%", "_", "*"}) {
    const auto none = store->findRun(wanted);
    ASSERT_FALSE(none.ok()) << wanted;
    EXPECT_EQ(none.error().code, ErrorCode::NotFound);
  }
}

TEST_F(RunStoreTest, ANameGoesBeforeTheBeginningOfAnId) {
  const auto store = openStore();
  const std::string first = makeRun(*store, "x");
  const std::string named = makeRun(*store, first.substr(0, 8));
  EXPECT_EQ(store->findRun(first.substr(0, 8))->id, named);
}

TEST_F(RunStoreTest, SearchesAndFilters) {
  const auto store = openStore();
  const std::string a = makeRun(*store, "Alpha 100%"), b = makeRun(*store, "beta_1"), c = makeRun(*store, "gamma");
  EXPECT_OK(store->setStatus(b, RunStatus::Failed));
  EXPECT_THAT(names(store->runs({})), ElementsAre("gamma", "beta_1", "Alpha 100%"));
  EXPECT_THAT(names(store->runs({.search = "alpha"})), ElementsAre("Alpha 100%"));
  EXPECT_THAT(names(store->runs({.search = "%"})), ElementsAre("Alpha 100%"));
  EXPECT_THAT(names(store->runs({.search = "_"})), ElementsAre("beta_1"));
  EXPECT_THAT(names(store->runs({.search = "org/mod"})), testing::SizeIs(3));
  EXPECT_THAT(names(store->runs({.search = "train.jsonl"})), testing::SizeIs(3));
  EXPECT_THAT(names(store->runs({.search = "' OR 1=1 --"})), testing::SizeIs(0));
  EXPECT_THAT(names(store->runs({.status = RunStatus::Failed})), ElementsAre("beta_1"));
  SQLite::Database(file.string(), SQLite::OPEN_READWRITE).exec("UPDATE runs SET archived = 1 WHERE id = '" + c + "'");
  EXPECT_THAT(names(store->runs({})), ElementsAre("beta_1", "Alpha 100%"));
  EXPECT_THAT(names(store->runs({.includesArchived = true})), testing::SizeIs(3));
}

TEST_F(RunStoreTest, HostileNamesAreKeptExactly) {
  const auto store = openStore();
  const std::vector<std::string> hostile{
      "'; DROP TABLE runs; --", "\"", "'", "''", "%", "_", "\\", "../../etc/passwd", "/", "--db", "-", " leading and trailing ",
      "line\nbreak", "tab\t", std::string("nul\0inside", 10), "\xff\xfe not utf-8", "\xf0\x9f\x8c\x8a\xe2\x80\xae", "NULL", "0",
      std::string(100000, 'x'), "", "$(reboot)", "<b>&amp;</b>"};
  std::vector<std::string> ids;
  for (const std::string& name : hostile) ids.push_back(makeRun(*store, name));
  for (size_t i = 0; i < hostile.size(); ++i) {
    EXPECT_EQ(store->run(ids[i])->name, hostile[i]);
    if (hostile[i].empty()) continue;
    const auto found = store->findRun(hostile[i]);
    ASSERT_TRUE(found.ok()) << hostile[i].substr(0, 40);
    EXPECT_EQ(found->id, ids[i]) << hostile[i].substr(0, 40);
  }
  EXPECT_EQ(names(store->runs({})).size(), hostile.size());
}

TEST_F(RunStoreTest, AnEndIsNotReplacedByStoppingOrLost) {
  const auto store = openStore();
  const std::string id = makeRun(*store, "r");
  EXPECT_OK(store->setStatus(id, RunStatus::Stopping));
  EXPECT_EQ(store->run(id)->status, RunStatus::Stopping);
  EXPECT_OK(store->setStatus(id, RunStatus::Completed));
  for (const RunStatus late : {RunStatus::Stopping, RunStatus::Lost}) {
    EXPECT_OK(store->setStatus(id, late));
    EXPECT_EQ(store->run(id)->status, RunStatus::Completed);
  }
  EXPECT_OK(store->setStatus(id, RunStatus::Queued));
  EXPECT_EQ(store->run(id)->status, RunStatus::Queued);
}

TEST_F(RunStoreTest, EveryCallNamesARunThatIsNotThere) {
  const auto store = openStore();
  const std::string id = "01NOSUCHRUN";
  const Error errors[] = {store->run(id).error(), store->setAgent(id, 1, 2).error(), store->setStatus(id, RunStatus::Lost).error(),
                          store->rename(id, "x").error(), store->deleteRun(id).error(), store->applyEvents(id, 0, {}).error(),
                          store->importNewEvents(id).error(), store->steps(id, 0, 0).error(), store->timeline(id, 0, -1).error(),
                          store->hyperparameters(id).error(), store->model(id).error(), store->log(id, 5).error()};
  for (const Error& error : errors) {
    EXPECT_EQ(error.code, ErrorCode::NotFound);
    EXPECT_THAT(error.message(), HasSubstr(id));
  }
}

TEST_F(RunStoreTest, DeletingTakesEverythingOfTheRunAlong) {
  const auto store = openStore();
  const std::string id = makeRun(*store, "gone"), other = makeRun(*store, "stays");
  EXPECT_OK(store->applyEvents(id, 0, {startedEvent(false), stepEvent(1, 2), {1, 0, run::LogEvent{"info", "x"}}}));
  EXPECT_OK(store->applyEvents(other, 0, {startedEvent(false), stepEvent(1, 2)}));
  EXPECT_OK(store->deleteRun(id));
  EXPECT_FALSE(store->run(id).ok());
  EXPECT_THAT(stepNumbers(*store, other), ElementsAre(1));
  SQLite::Database database(file.string(), SQLite::OPEN_READONLY);
  for (const char* table : {"hyperparameters", "metrics", "events_applied"})
    EXPECT_EQ(database.execAndGet(std::string("SELECT count(DISTINCT run) FROM ") + table).getInt(), 1) << table;
  EXPECT_EQ(database.execAndGet("SELECT count(*) FROM log").getInt(), 0);
}

TEST_F(RunStoreTest, TheSameIdTwiceIsRefused) {
  const auto store = openStore();
  RunRecord run;
  run.id = "01ABC";
  EXPECT_OK(store->createRun(run, {}));
  const auto again = store->createRun(run, {});
  ASSERT_FALSE(again.ok());
  EXPECT_EQ(again.error().code, ErrorCode::InvalidInput);
  EXPECT_EQ(store->runs({})->size(), 1u);
}

TEST_F(RunStoreTest, ChangeCounterGrowsWithOwnAndOtherChanges) {
  const auto store = openStore(), other = openStore();
  const int64_t start = store->changeCounter();
  EXPECT_EQ(store->changeCounter(), start);
  const std::string id = makeRun(*store, "r");
  const int64_t own = store->changeCounter();
  EXPECT_GT(own, start);
  EXPECT_EQ(store->changeCounter(), own);
  EXPECT_OK(other->rename(id, "x"));
  const int64_t foreign = store->changeCounter();
  EXPECT_GT(foreign, own);
  EXPECT_OK(other->runs({}));
  EXPECT_EQ(store->changeCounter(), foreign);
  const double begin = processorSeconds();
  for (int i = 0; i < 100; ++i) store->changeCounter();
  EXPECT_LT(processorSeconds() - begin, 0.1);
}

TEST_F(RunStoreTest, TenThousandRunsAreListedWithinATenthOfASecond) {
  const auto store = openStore();
  makeRun(*store, "first");
  SQLite::Database(file.string(), SQLite::OPEN_READWRITE).exec(
      "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9999) "
      "INSERT INTO runs SELECT 100 + i, printf('01RUN%021d', i), 'run ' || i, '/runs/' || i, status, model, model_format, dataset, "
      "policy, ranks, 0, 0, created_at + i, 0, i, 100, 1.5, 1.25, 1e3, 0.5, 1, 2, 3, NULL, '', '', "
      "replace(hex(zeroblob(500)), '00', 'x: '), 1, 2, 0, '', -1 FROM runs, n WHERE number = 1");
  double best = 1e9;
  for (int i = 0; i < 5; ++i) {
    const double begin = processorSeconds();
    const auto runs = store->runs({});
    best = std::min(best, processorSeconds() - begin);
    ASSERT_EQ(runs->size(), 10000u);
    ASSERT_EQ(runs->front().name, "run 9999");
  }
  RecordProperty("milliseconds", static_cast<int>(best * 1000));
  EXPECT_LT(best, 0.1 * kSanitizerFactor);
  EXPECT_EQ(store->runs({.search = "run 999"})->size(), 11u);
}

TEST_F(RunStoreTest, DefaultPathFollowsXdg) {
  const char* before = std::getenv("XDG_DATA_HOME");
  const std::string saved = before ? before : "";
  ::setenv("XDG_DATA_HOME", "/xdg", 1);
  EXPECT_EQ(RunStore::defaultPath(), "/xdg/tidemark/tidemark.db");
  ::setenv("XDG_DATA_HOME", "relative", 1);  // the specification says to ignore it
  EXPECT_TRUE(RunStore::defaultPath().string().ends_with("/.local/share/tidemark/tidemark.db"));
  before ? ::setenv("XDG_DATA_HOME", saved.c_str(), 1) : ::unsetenv("XDG_DATA_HOME");
}

}  // namespace tidemark::storage
