// What events do to the tables, and that they come back as they were.
#include <cmath>

#include "store_fixture.h"

namespace tidemark::storage {
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

run::Event at(int64_t rank, run::EventBody body) { return {1500, rank, std::move(body)}; }

run::TimelineEvent timeline(int64_t iteration, int64_t activation) {
  return {iteration, iteration / 2, 777, {{0, true, activation, 2, 3, 4, 5, 6, "gathered"}, {0, false, 0, 2, 3, 4, 5, -6, ""}}};
}

}  // namespace

class EventsTest : public StoreTest {
 protected:
  EventsTest() : store(openStore()), id(makeRun(*store, "run")) {}
  void apply(const std::vector<run::Event>& events) {
    EXPECT_OK(store->applyEvents(id, next, events));
    next += static_cast<int64_t>(events.size());
  }
  RunRecord now() const { return *store->run(id); }

  std::unique_ptr<RunStore> store;
  std::string id;
  int64_t next = 0;
};

// Compared as JSON lines: these hold every field.
TEST_F(EventsTest, EveryEventComesBackAsItWas) {
  const run::ModelEvent model{"m", "gguf", "llama", 1, 2, 3, 4, 5, 6, "cpu"};
  const run::DatasetEvent dataset{1, 2, 3, 4, 5, 6, "hash"};
  const run::OperatorEvent operation{3, "layers.0.mlp", "rise", 1, 2, 3, 4, 0.1, 0.2, 0.3, false};
  const run::PlanEvent plan{1, 2, 3, 4, 5, 6, 7.5, 8, "elastic", "longer batch", {1, 2}, {}, {int64_t{1} << 60}};
  const run::StepEvent step{7, 1.25, 1, 2, 0.5, 2e-4, 0.75, 3, 4, 0.0625, 5, 6, 7, 8, 9, 10, 11, 12};
  const run::EvalEvent eval{7, 1, 2, 3.5, 4.5};
  const run::CheckpointEvent checkpoint{7, "/c/step-7"};
  const run::SampleEvent sample{7, "Hello", "world"};
  const run::LogEvent log{"warning", "careful"};
  apply({at(0, model), at(0, dataset), at(1, operation), at(1, plan), at(1, step), at(0, eval), at(1, timeline(4, 99)), at(0, checkpoint),
         at(0, sample), at(1, log)});
  const auto line = [](int64_t rank, run::EventBody body) { return run::toJsonLine(at(rank, std::move(body))); };
  EXPECT_EQ(line(0, **store->model(id)), line(0, model));
  EXPECT_EQ(line(0, **store->dataset(id)), line(0, dataset));
  EXPECT_EQ(line(1, store->operators(id, 1)->at(0)), line(1, operation));
  EXPECT_EQ(line(1, store->plans(id, 1)->at(0)), line(1, plan));
  EXPECT_EQ(line(1, store->steps(id, 1, 6)->at(0)), line(1, step));
  EXPECT_EQ(line(0, store->evaluations(id)->at(0)), line(0, eval));
  EXPECT_EQ(line(1, *store->timeline(id, 1, -1)), line(1, timeline(4, 99)));
  EXPECT_EQ(line(0, store->checkpoints(id)->at(0)), line(0, checkpoint));
  EXPECT_EQ(line(0, store->samples(id)->at(0)), line(0, sample));
  EXPECT_EQ(line(1, store->log(id, 10)->at(0)), line(1, log));
  EXPECT_TRUE(store->operators(id, 0)->empty());
  EXPECT_TRUE(store->plans(id, 0)->empty());
  EXPECT_TRUE(store->steps(id, 1, 7)->empty());
  EXPECT_EQ(now().modelFormat, "gguf");
  EXPECT_EQ(now().parameters, 1);
  EXPECT_EQ(now().trainableParameters, 2);
}

TEST_F(EventsTest, StatusFollowsTheEvents) {
  EXPECT_EQ(now().status, RunStatus::Queued);
  apply({startedEvent(false)});
  EXPECT_EQ(now().status, RunStatus::Running);
  apply({at(1, run::FailureEvent{"out_of_memory", "rank 1 needs 3 GiB more"}), at(-1, run::FailureEvent{"rank_lost", "rank 1 is gone"}),
         finishedEvent("failed", 4)});
  EXPECT_EQ(now().status, RunStatus::Failed);
  EXPECT_EQ(now().exitCode, 4);
  EXPECT_EQ(now().message, "rank 1 needs 3 GiB more");
  EXPECT_EQ(now().finishedAt, 2000);
  EXPECT_EQ(now().adapter, now().directory + "/adapter") << "where the run directory is now";
  EXPECT_THAT(store->log(id, 10)->at(1).text, HasSubstr("rank 1 is gone"));
  apply({startedEvent(true)});
  EXPECT_EQ(now().status, RunStatus::Running);
  EXPECT_FALSE(now().exitCode.has_value());
  EXPECT_EQ(now().message, "");
  EXPECT_EQ(now().finishedAt, 0);
  apply({finishedEvent("stopped", 130)});
  EXPECT_EQ(now().status, RunStatus::Stopped);
  EXPECT_EQ(now().exitCode, 130);
  apply({startedEvent(true), finishedEvent("completed", 0)});
  EXPECT_EQ(now().status, RunStatus::Completed);
}

TEST_F(EventsTest, SummaryIsThatOfTheLastSteps) {
  std::vector<run::Event> events{startedEvent(false)};
  for (int64_t step = 1; step <= 15; ++step) {
    run::Event event = stepEvent(step, 10.0 / static_cast<double>(step));
    auto& body = std::get<run::StepEvent>(event.body);
    body.seconds = step <= 5 ? 100 : 4;  // only the last ten count
    events.push_back(event);
  }
  run::Event otherRank = stepEvent(15, 99, 1);
  std::get<run::StepEvent>(otherRank.body).peakBytes = 123456;
  events.push_back(otherRank);
  events.push_back(at(0, run::EvalEvent{0, 1, 1, 9.0, 1}));
  events.push_back(at(0, run::EvalEvent{15, 1, 1, 8.0, 1}));
  events.push_back(at(0, run::PlanEvent{4096, 1, 1, 0, 0, 0, 0, 0, "", "", {}, {}, {}}));
  apply(events);
  const RunRecord run = now();
  EXPECT_EQ(run.step, 15);
  EXPECT_DOUBLE_EQ(*run.loss, 10.0 / 15);
  EXPECT_DOUBLE_EQ(*run.tokensPerSecond, 250);
  EXPECT_DOUBLE_EQ(*run.secondsPerStep, 4);
  EXPECT_EQ(run.evalLoss, 8.0);
  EXPECT_EQ(run.peakBytes, 123456);
  EXPECT_EQ(run.budgetBytes, 4096);
  EXPECT_EQ(run.remoteBytesPerIteration, 200);
}

TEST_F(EventsTest, TheFirstStepCountsForSpeedOnlyWhileItIsAlone) {
  run::Event slow = stepEvent(1, 1);
  std::get<run::StepEvent>(slow.body).seconds = 100;
  apply({slow});
  EXPECT_DOUBLE_EQ(*now().tokensPerSecond, 10);
  apply({stepEvent(2, 1)});
  EXPECT_DOUBLE_EQ(*now().tokensPerSecond, 500);
}

TEST_F(EventsTest, LossThatIsNoNumberIsKeptAsSuch) {
  apply({stepEvent(1, std::nan(""))});
  EXPECT_TRUE(std::isnan(store->steps(id, 0, 0)->at(0).loss));
  EXPECT_FALSE(now().loss.has_value());
}

TEST_F(EventsTest, ApplyingALineTwiceChangesNothing) {
  const std::vector<run::Event> events{startedEvent(false), stepEvent(1, 3), at(0, run::LogEvent{"info", "a"}),
                                       at(0, run::PlanEvent{1, 1, 1, 1, 1, 1, 1, 1, "", "", {}, {}, {}}), stepEvent(2, 2)};
  apply(events);
  EXPECT_OK(store->rename(id, "renamed"));
  EXPECT_OK(store->setStatus(id, RunStatus::Stopping));
  EXPECT_OK(store->applyEvents(id, 0, events));
  EXPECT_OK(store->applyEvents(id, 3, {events[3], events[4]}));
  EXPECT_EQ(now().status, RunStatus::Stopping);
  EXPECT_EQ(now().name, "renamed");
  EXPECT_THAT(stepNumbers(*store, id), ElementsAre(1, 2));
  EXPECT_EQ(store->log(id, 10)->size(), 1u);
  EXPECT_EQ(store->plans(id, 0)->size(), 1u);
  EXPECT_OK(store->applyEvents(id, 3, {events[3], events[4], stepEvent(3, 1)}));  // partly new
  EXPECT_THAT(stepNumbers(*store, id), ElementsAre(1, 2, 3));
}

TEST_F(EventsTest, ARetrainedStepReplacesItselfAndAllLaterOnes) {
  std::vector<run::Event> events{startedEvent(false)};
  for (int64_t step = 1; step <= 6; ++step) {
    events.push_back(stepEvent(step, 1, 0));
    events.push_back(stepEvent(step, 1, 1));
    events.push_back(at(0, run::EvalEvent{step, 1, 1, 1, 1}));
    events.push_back(at(0, run::CheckpointEvent{step, "/old"}));
    events.push_back(at(0, run::SampleEvent{step, "p", "old"}));
  }
  apply(events);
  apply({startedEvent(true), stepEvent(4, 7, 0)});
  EXPECT_THAT(stepNumbers(*store, id, 0), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(stepNumbers(*store, id, 1), ElementsAre(1, 2, 3, 4, 5, 6));  // rank 1 has not got there again
  apply({stepEvent(4, 7, 1), at(0, run::EvalEvent{4, 1, 1, 7, 1})});
  EXPECT_THAT(stepNumbers(*store, id, 1), ElementsAre(1, 2, 3, 4));
  EXPECT_EQ(store->steps(id, 0, 3)->at(0).loss, 7);
  EXPECT_EQ(store->evaluations(id)->size(), 4u);
  EXPECT_EQ(store->evaluations(id)->back().loss, 7);
  EXPECT_EQ(store->checkpoints(id)->size(), 3u);
  EXPECT_EQ(store->samples(id)->size(), 3u);
  EXPECT_EQ(now().step, 4);
  EXPECT_EQ(now().loss, 7);
  EXPECT_EQ(now().evalLoss, 7);
}

TEST_F(EventsTest, TimelinesAreStoredWhenTheyDiffer) {
  apply({at(0, timeline(1, 5)), at(0, timeline(2, 5)), at(0, timeline(4, 6)), at(1, timeline(4, 5))});
  EXPECT_THAT(*store->timelineIterations(id, 0), ElementsAre(1, 4));
  EXPECT_THAT(*store->timelineIterations(id, 1), ElementsAre(4));
  EXPECT_EQ(store->timeline(id, 0, 3)->iteration, 1);
  EXPECT_EQ(store->timeline(id, 0, 4)->points[0].activation, 6);
  EXPECT_EQ(store->timeline(id, 0, 1000)->iteration, 4);
  EXPECT_EQ(store->timeline(id, 0, -1)->iteration, 4);
  EXPECT_EQ(store->timeline(id, 0, 0).error().code, ErrorCode::NotFound);
  run::TimelineEvent otherBudget = timeline(5, 6);
  otherBudget.budgetBytes = 778;
  apply({at(0, otherBudget)});
  EXPECT_THAT(*store->timelineIterations(id, 0), ElementsAre(1, 4, 5));
  apply({at(0, timeline(3, 8))});  // run again after a resume
  EXPECT_THAT(*store->timelineIterations(id, 0), ElementsAre(1, 3));
}

TEST_F(EventsTest, LogGivesTheLastLinesOldestFirst) {
  std::vector<run::Event> events;
  for (int i = 0; i < 10; ++i) events.push_back(at(0, run::LogEvent{"info", std::to_string(i)}));
  apply(events);
  const auto log = store->log(id, 3);
  ASSERT_EQ(log->size(), 3u);
  EXPECT_EQ(log->front().text, "7");
  EXPECT_EQ(log->back().text, "9");
}

TEST_F(EventsTest, AnEndOfAnUnknownKindFollowsTheExitCodeAndIsSaid) {
  apply({startedEvent(false), finishedEvent("exploded", 5)});
  EXPECT_EQ(now().status, RunStatus::Failed);
  EXPECT_THAT(store->log(id, 1)->at(0).text, HasSubstr("exploded"));
}

}  // namespace tidemark::storage
