// events.jsonl to the database: incremental, whole lines only, from here or from elsewhere.
#include "store_fixture.h"

namespace tidemark::storage {
using testing::ElementsAre;
using testing::HasSubstr;
namespace fs = std::filesystem;

namespace {

std::string lineOf(const run::Event& event) { return run::toJsonLine(event) + "\n"; }

constexpr const char* kConfig = "model: org/name\ndataset: {train: /d.jsonl}\ntraining: {max_steps: 12}\nparallel: {ranks: 4}\n";

}  // namespace

class EventImportTest : public StoreTest {
 protected:
  EventImportTest() : store(openStore()) {}
  fs::path makeDirectory(const std::string& name, const std::string& events) const {
    fs::create_directories(folder / name);
    append(folder / name / "config.yaml", kConfig);
    append(folder / name / "events.jsonl", events);
    return folder / name;
  }
  std::unique_ptr<RunStore> store;
};

TEST_F(EventImportTest, ReadsWhatIsNewAndWaitsForHalfLines) {
  const std::string id = makeRun(*store, "run");
  const fs::path path = eventFile(*store, id);
  EXPECT_EQ(*store->importNewEvents(id), 0);
  const std::string line = lineOf(stepEvent(2, 1));
  append(path, lineOf(startedEvent(false)) + lineOf(stepEvent(1, 2)) + line.substr(0, 30));
  EXPECT_EQ(*store->importNewEvents(id), 2);
  EXPECT_EQ(*store->importNewEvents(id), 0);
  append(path, line.substr(30, line.size() - 31));  // all but its end
  EXPECT_EQ(*store->importNewEvents(id), 0);
  append(path, "\n");
  EXPECT_EQ(*store->importNewEvents(id), 1);
  EXPECT_THAT(stepNumbers(*store, id), ElementsAre(1, 2));
  EXPECT_EQ(store->run(id)->status, RunStatus::Running);
}

TEST_F(EventImportTest, AgentAndImportDoNotApplyTwice) {
  const std::string id = makeRun(*store, "run");
  const std::vector<run::Event> first{startedEvent(false), {1, 0, run::LogEvent{"info", "a"}}}, second{{1, 0, run::LogEvent{"info", "b"}}};
  append(eventFile(*store, id), lineOf(first[0]) + lineOf(first[1]) + lineOf(second[0]));
  EXPECT_OK(store->applyEvents(id, 0, first));
  EXPECT_EQ(*store->importNewEvents(id), 1);
  EXPECT_OK(store->applyEvents(id, 2, second));
  EXPECT_EQ(store->log(id, 10)->size(), 2u);
}

TEST_F(EventImportTest, AGapIsFilledFromTheFile) {
  const std::string id = makeRun(*store, "run");
  append(eventFile(*store, id), lineOf(startedEvent(false)) + lineOf(stepEvent(1, 1)) + lineOf(stepEvent(2, 1)));
  EXPECT_OK(store->applyEvents(id, 2, {stepEvent(2, 1)}));  // lines 0 and 1 met a locked database
  EXPECT_THAT(stepNumbers(*store, id), ElementsAre(1, 2));
  EXPECT_EQ(store->run(id)->status, RunStatus::Running);
  const Status status = store->applyEvents(id, 7, {stepEvent(3, 1)});
  ASSERT_FALSE(status.ok());
  EXPECT_THAT(status.error().message(), HasSubstr("no event line 3 yet"));
  EXPECT_FALSE(store->applyEvents(id, -1, {stepEvent(3, 1)}).ok());
  EXPECT_THAT(stepNumbers(*store, id), ElementsAre(1, 2));
}

TEST_F(EventImportTest, BadLinesAreSaidAndDoNotHoldUpTheRest) {
  const std::string id = makeRun(*store, "run");
  append(eventFile(*store, id), lineOf(stepEvent(1, 1)) + "{\"event\":\"dance\",\"time\":1}\n\n{broken\n" + lineOf(stepEvent(2, 1)));
  EXPECT_EQ(*store->importNewEvents(id), 5);
  EXPECT_THAT(stepNumbers(*store, id), ElementsAre(1, 2));
  const auto log = *store->log(id, 10);
  ASSERT_EQ(log.size(), 2u);
  EXPECT_EQ(log[0].level, "warning");
  EXPECT_THAT(log[0].text, testing::AllOf(HasSubstr("line 2"), HasSubstr("dance")));
  EXPECT_THAT(log[1].text, HasSubstr("line 4"));
}

TEST_F(EventImportTest, FilesLargerThanOneChunkAreReadWhole) {
  const std::string id = makeRun(*store, "run");
  std::string text = lineOf(startedEvent(false)) + lineOf({1, 0, run::LogEvent{"info", std::string(9 << 20, 'x')}});
  for (int64_t step = 1; step <= 12000; ++step) text += lineOf(stepEvent(step, 1));
  append(eventFile(*store, id), text);
  EXPECT_EQ(*store->importNewEvents(id), 12002);
  EXPECT_EQ(stepNumbers(*store, id).size(), 12000u);
  EXPECT_EQ(store->log(id, 1)->at(0).text.size(), size_t{9} << 20);
}

TEST_F(EventImportTest, AFileThatShrankIsAnError) {
  const std::string id = makeRun(*store, "run");
  append(eventFile(*store, id), lineOf(stepEvent(1, 1)) + lineOf(stepEvent(2, 1)));
  EXPECT_OK(store->importNewEvents(id));
  fs::resize_file(eventFile(*store, id), 10);
  EXPECT_EQ(store->importNewEvents(id).error().code, ErrorCode::InvalidInput);
  fs::remove(eventFile(*store, id));
  EXPECT_EQ(store->importNewEvents(id).error().code, ErrorCode::NotFound);
}

TEST_F(EventImportTest, ADirectoryFromElsewhereBecomesARun) {
  run::Event started = startedEvent(false);
  std::get<run::StartedEvent>(started.body) = {"01ARZ3NDEKTSV4RRFFQ69G5FAV", "their name", "/elsewhere", "0.1.0", 4, false};
  const fs::path directory = makeDirectory("theirs", lineOf(started) + lineOf(stepEvent(1, 2.5)) + lineOf(finishedEvent("completed", 0)));
  const auto id = store->importDirectory(directory);
  ASSERT_TRUE(id.ok()) << id.error().message();
  EXPECT_EQ(*id, "01ARZ3NDEKTSV4RRFFQ69G5FAV");
  const RunRecord run = *store->run(*id);
  EXPECT_EQ(run.name, "their name");
  EXPECT_EQ(run.directory, directory.string());
  EXPECT_EQ(run.status, RunStatus::Completed);
  EXPECT_EQ(run.model, "org/name");
  EXPECT_EQ(run.dataset, "/d.jsonl");
  EXPECT_EQ(run.ranks, 4);
  EXPECT_EQ(run.maxSteps, 12);
  EXPECT_EQ(run.createdAt, 1000);
  EXPECT_EQ(run.loss, 2.5);
  EXPECT_EQ(run.configYaml, kConfig);
  const auto values = *store->hyperparameters(*id);
  EXPECT_THAT(values, testing::Contains(std::pair<std::string, std::string>("training.max_steps", "12")));
  append(directory / "events.jsonl", lineOf({1, 0, run::LogEvent{"info", "late"}}));
  EXPECT_EQ(*store->importDirectory(directory), *id);  // known already: brought up to date
  EXPECT_EQ(store->log(*id, 5)->size(), 1u);
  EXPECT_EQ(store->runs({})->size(), 1u);
}

TEST_F(EventImportTest, AMovedDirectoryKeepsItsRunAndACopyGetsItsOwn) {
  run::Event started = startedEvent(false);
  std::get<run::StartedEvent>(started.body).run = "01ARZ3NDEKTSV4RRFFQ69G5FAV";
  const fs::path directory = makeDirectory("a", lineOf(started) + lineOf(stepEvent(1, 1)));
  const std::string id = *store->importDirectory(directory);
  EXPECT_EQ(store->run(id)->status, RunStatus::Lost);  // no end, and its agent is not here
  fs::rename(directory, folder / "b");
  append(folder / "b" / "events.jsonl", lineOf(stepEvent(2, 1)));
  EXPECT_EQ(*store->importDirectory(folder / "b"), id);
  EXPECT_EQ(store->run(id)->directory, (folder / "b").string());
  EXPECT_THAT(stepNumbers(*store, id), ElementsAre(1, 2));
  fs::copy(folder / "b", folder / "c");
  const std::string copy = *store->importDirectory(folder / "c");
  EXPECT_NE(copy, id);
  EXPECT_THAT(stepNumbers(*store, copy), ElementsAre(1, 2));
}

TEST_F(EventImportTest, WhatIsNoRunDirectoryIsRefusedAndLeavesNothing) {
  EXPECT_EQ(store->importDirectory(folder / "missing").error().code, ErrorCode::NotFound);
  fs::create_directories(folder / "empty");
  EXPECT_EQ(store->importDirectory(folder / "empty").error().code, ErrorCode::NotFound);
  fs::create_directories(folder / "odd" / "events.jsonl");
  append(folder / "odd" / "config.yaml", kConfig);
  EXPECT_FALSE(store->importDirectory(folder / "odd").ok());
  EXPECT_TRUE(store->runs({})->empty());
}

}  // namespace tidemark::storage
