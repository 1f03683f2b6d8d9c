// Sweeps in the database: written, found, updated, and the version before them.
#include <SQLiteCpp/SQLiteCpp.h>

#include "storage/migrations.h"
#include "store_fixture.h"

namespace tidemark::storage {
namespace {

using testing::HasSubstr;

class SweepsTest : public StoreTest {
 protected:
  static SweepRecord record(const std::string& name) {
    SweepRecord sweep;
    sweep.name = name;
    sweep.description = "name: x\n";
    sweep.objective = "loss";
    sweep.agentPid = 7;
    sweep.agentStartTicks = 8;
    return sweep;
  }
  static std::vector<SweepPoint> points() {
    SweepPoint first, second;
    first.values = {{"peft.r", "4"}, {"peft.target_modules", "[q_proj, \"x\"]"}};
    first.seed = 42;
    second.number = 1;
    second.values = {{"peft.r", "8"}};
    second.seed = 43;
    return {first, second};
  }
};

TEST_F(SweepsTest, WhatWasWrittenIsReadBack) {
  const auto store = openStore();
  const auto id = store->createSweep(record("a"), points());
  ASSERT_TRUE(id.ok()) << id.error().message();
  const auto found = store->findSweep(*id);
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(found->name, "a");
  EXPECT_EQ(found->objective, "loss");
  EXPECT_EQ(found->agentStartTicks, 8);
  EXPECT_GT(found->createdAt, 0);
  const auto read = store->sweepPoints(*id);
  ASSERT_TRUE(read.ok()) << read.error().message();
  ASSERT_EQ(read->size(), 2u);
  EXPECT_EQ((*read)[0].values, points()[0].values);
  EXPECT_EQ((*read)[1].seed, 43);
  EXPECT_EQ((*read)[0].state, PointState::Waiting);
  EXPECT_FALSE((*read)[0].objective);
}

TEST_F(SweepsTest, APointsStateIsKeptAndAnEarlyStopIsToldInItsRun) {
  const auto store = openStore();
  const auto id = store->createSweep(record("a"), points());
  const std::string run = makeRun(*store, "r");
  SweepPoint point = points()[1];
  point.state = PointState::StoppedEarly;
  point.run = run;
  point.reason = "it is worse";
  point.objective = 1.5;
  point.step = 7;
  EXPECT_OK(store->setSweepPoint(*id, point));
  const auto read = store->sweepPoints(*id);
  EXPECT_EQ((*read)[1].state, PointState::StoppedEarly);
  EXPECT_EQ((*read)[1].run, run);
  EXPECT_DOUBLE_EQ(*(*read)[1].objective, 1.5);
  EXPECT_EQ((*read)[1].step, 7);
  EXPECT_EQ(store->run(run)->message, "stopped early: it is worse");
  EXPECT_FALSE(store->setSweepPoint("none", point).ok());
}

TEST_F(SweepsTest, FindsByNameAndBeginningAndTellsWhenSeveralAreMeant) {
  const auto store = openStore();
  const auto first = store->createSweep(record("same"), {}), second = store->createSweep(record("same"), {});
  EXPECT_EQ(store->findSweep(*first)->id, *first);
  const auto several = store->findSweep("same");
  ASSERT_FALSE(several.ok());
  EXPECT_EQ(several.error().code, ErrorCode::InvalidInput);
  EXPECT_THAT(several.error().detail, HasSubstr(*second));
  EXPECT_EQ(store->findSweep("none").error().code, ErrorCode::NotFound);
  EXPECT_EQ(store->findSweep("").error().code, ErrorCode::NotFound);
  EXPECT_EQ(store->sweeps()->front().id, *second) << "newest first";
}

TEST_F(SweepsTest, StatusAndAgentChangeAndADeletedSweepLeavesItsRuns) {
  const auto store = openStore();
  const auto id = store->createSweep(record("a"), points());
  EXPECT_OK(store->setSweepStatus(*id, SweepStatus::Completed));
  EXPECT_OK(store->setSweepAgent(*id, 1, 2));
  EXPECT_EQ(store->findSweep("a")->status, SweepStatus::Completed);
  EXPECT_GT(store->findSweep("a")->finishedAt, 0);
  EXPECT_EQ(store->findSweep("a")->agentPid, 1);
  RunRecord run;
  run.name = "of the sweep";
  run.directory = (folder / "of").string();
  run.sweep = *id;
  run.sweepPoint = 1;
  const auto runId = store->createRun(run, {});
  ASSERT_TRUE(runId.ok()) << runId.error().message();
  EXPECT_EQ(store->run(*runId)->sweep, *id);
  EXPECT_EQ(store->run(*runId)->sweepPoint, 1);
  EXPECT_EQ((*store->sweepPoints(*id))[1].run, *runId) << "the run tells, where the point was not";
  EXPECT_OK(store->deleteSweep(*id));
  EXPECT_FALSE(store->findSweep("a").ok());
  EXPECT_EQ(store->run(*runId)->sweep, "");
  EXPECT_FALSE(store->deleteSweep(*id).ok());
}

TEST_F(SweepsTest, ADatabaseOfVersionOneKeepsItsRuns) {
  std::filesystem::create_directories(file.parent_path());
  {
    Database old(file);
    ASSERT_TRUE(migrate(old, file, migrations().first(1)).ok());
    old.execute("INSERT INTO runs (id, name, directory, status, model, model_format, dataset, policy, ranks, agent_pid, agent_start_ticks, "
                "created_at, finished_at, step, max_steps, message, adapter, config_yaml, parameters, trainable_parameters) "
                "VALUES ('OLD', 'old', '/d', 'completed', 'm', 'f', 'd', 'p', 2, 0, 0, 1, 2, 3, 3, '', '', '', 0, 0)");
  }
  const auto store = openStore();
  const auto run = store->run("OLD");
  ASSERT_TRUE(run.ok()) << run.error().message();
  EXPECT_EQ(run->name, "old");
  EXPECT_EQ(run->sweep, "");
  EXPECT_EQ(run->sweepPoint, -1);
  EXPECT_TRUE(store->sweeps()->empty());
}

}  // namespace
}  // namespace tidemark::storage
