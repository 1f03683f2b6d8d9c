// What a run's events say in the sweep's objective.
#include "core/sweep/objective.h"

#include <gtest/gtest.h>

namespace tidemark::sweep {
namespace {

run::Event stepEvent(int64_t step, double loss, double seconds = 1, int64_t rank = 0) {
  run::StepEvent event;
  event.step = step;
  event.loss = loss;
  event.tokens = 100;
  event.seconds = seconds;
  return run::makeEvent(rank, event);
}

TEST(Reporter, EvaluationLossIsTheLastEvaluationAfterTheFirstStep) {
  Reporter reporter(Objective::EvalLoss);
  reporter.take(run::makeEvent(0, run::EvalEvent{0, 1, 1, 9.0, 0}));
  EXPECT_FALSE(reporter.value()) << "before training all runs are equal";
  reporter.take(stepEvent(1, 3));
  reporter.take(run::makeEvent(0, run::EvalEvent{5, 1, 1, 2.0, 0}));
  reporter.take(run::makeEvent(0, run::EvalEvent{10, 1, 1, 1.5, 0}));
  ASSERT_EQ(reporter.reports().size(), 2u);
  EXPECT_DOUBLE_EQ(*reporter.value(), 1.5);
  EXPECT_EQ(reporter.step(), 1);
}

TEST(Reporter, LossIsTheMeanOfTheLastTenStepsOfRankZero) {
  Reporter reporter(Objective::Loss);
  for (int step = 1; step <= 12; ++step) {
    reporter.take(stepEvent(step, step));
    reporter.take(stepEvent(step, 1000, 1, 1));
  }
  EXPECT_DOUBLE_EQ(*reporter.value(), 7.5);  // 3 to 12
}

TEST(Reporter, SpeedLeavesTheMeasuringStepOut) {
  Reporter reporter(Objective::TokensPerSecond);
  reporter.take(stepEvent(1, 3, 50));
  reporter.take(stepEvent(2, 3, 2));
  reporter.take(stepEvent(3, 3, 2));
  EXPECT_DOUBLE_EQ(*reporter.value(), 50);
}

TEST(Reporter, StepsThatAreTrainedAgainReplaceTheOldOnes) {
  Reporter reporter(Objective::Loss);
  for (int step = 1; step <= 4; ++step) reporter.take(stepEvent(step, 100));
  for (int step = 3; step <= 4; ++step) reporter.take(stepEvent(step, 4));
  ASSERT_EQ(reporter.reports().size(), 4u);
  EXPECT_DOUBLE_EQ(*reporter.value(), (100 + 100 + 4 + 4) / 4.0);
}

}  // namespace
}  // namespace tidemark::sweep
