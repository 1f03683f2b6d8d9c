// What the comparison's plots are given.
#include "ui/compare/compare_series.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "compare_runs.h"

namespace tidemark::ui {
namespace {

using tests::comparedRun;
using tests::shared;
using ::testing::ElementsAre;

const ResultKind& result(const char* key) {
  for (const ResultKind& kind : resultKinds()) {
    if (kind.key == QLatin1String(key)) return kind;
  }
  throw std::runtime_error(key);
}

std::vector<double> across(const plots::Curve& curve) {
  std::vector<double> x;
  for (const plots::CurvePoint& point : curve) x.push_back(point.x);
  return x;
}

TEST(CompareSeries, CurvesGoOverStepsTokensOrTime) {
  const auto runs = shared({comparedRun("a", {}, {3, 2, 1}), comparedRun("b", {}, {3, 2})});
  const auto steps = curvesOf(runs, {4, 7}, CurveOf::Loss, CurveOver::Steps);
  ASSERT_EQ(steps.curves.size(), 2u);
  EXPECT_EQ(steps.curves[1].mark, 7);
  EXPECT_THAT(across(steps.curves[0].points), ElementsAre(1, 2, 3));
  EXPECT_THAT(across(curvesOf(runs, {0, 1}, CurveOf::Loss, CurveOver::Tokens).curves[0].points), ElementsAre(1000, 2000, 3000));
  EXPECT_THAT(across(curvesOf(runs, {0, 1}, CurveOf::Loss, CurveOver::Time).curves[0].points), ElementsAre(2, 4, 6));
}

TEST(CompareSeries, EachCurveIsWhatItSays) {
  const auto runs = shared({comparedRun("a", {}, {3, 2})});
  const auto last = [&](CurveOf what) { return curvesOf(runs, {0}, what, CurveOver::Steps).curves[0].points.back().y; };
  EXPECT_EQ(last(CurveOf::Loss), 2);
  EXPECT_EQ(last(CurveOf::TokensPerSecond), 500);
  EXPECT_EQ(last(CurveOf::LearningRate), 2e-4);
  EXPECT_EQ(last(CurveOf::PeakMemory), 600.0 * (1 << 20));
  EXPECT_EQ(last(CurveOf::RemoteBytes), 150.0 * (1 << 20)) << "of one iteration, not of the step";
}

TEST(CompareSeries, EvaluationsStandWhereTheirStepEnds) {
  ComparedRun run = comparedRun("a", {}, {3, 2, 1});
  run.evaluations.resize(2);
  run.evaluations[0].loss = 3.5;  // before the first step
  run.evaluations[1].step = 2;
  run.evaluations[1].loss = 2.5;
  const auto series = curvesOf(shared({run}), {0}, CurveOf::EvaluationLoss, CurveOver::Tokens);
  EXPECT_THAT(across(series.curves[0].points), ElementsAre(0, 2000));
  EXPECT_EQ(series.style, plots::OverlaySeries::Style::Points);
}

TEST(CompareSeries, OperatorsKeepTheirNamesOnlyWhereAllRunsShareThem) {
  ComparedRun a = comparedRun("a", {}, {1}), b = comparedRun("b", {}, {1});
  a.operators.resize(2);
  a.operators[0].name = "embedding";
  a.operators[1].index = 1;
  a.operators[1].name = "layers.0.mlp";
  a.operators[1].activationBytes = 77;
  b.operators = {a.operators[0]};
  const auto series = activationsOf(shared({a, b}), {0, 1});
  EXPECT_THAT(series.xNames, ElementsAre("embedding", "layers.0.mlp"));
  EXPECT_EQ(series.curves[0].points[1].y, 77);
  b.operators[0].name = "wte";
  EXPECT_TRUE(activationsOf(shared({a, b}), {0, 1}).xNames.empty());
}

TEST(CompareSeries, ScatterTakesNumbersOrWords) {
  const auto runs = shared({comparedRun("a", {{"training.learning_rate", "0.0001"}, {"memory.policy", "elastic"}}, {3}),
                            comparedRun("b", {{"training.learning_rate", "0.01"}, {"memory.policy", "pinned"}}, {2}),
                            comparedRun("c", {{"training.learning_rate", "0.001"}, {"memory.policy", "elastic"}}, {})});
  const auto rates = scatterOf(runs, {0, 1, 2}, "training.learning_rate", result("loss_last"));
  ASSERT_EQ(rates.points.size(), 2u) << "a run without the result has no point";
  EXPECT_EQ(rates.points[1].x, 0.01);
  EXPECT_EQ(rates.points[1].y, 2);
  EXPECT_TRUE(rates.isLogarithmic);
  EXPECT_TRUE(rates.words.empty());
  const auto policies = scatterOf(runs, {0, 1, 2}, "memory.policy", result("steps"));
  EXPECT_THAT(policies.words, ElementsAre("elastic", "pinned"));
  EXPECT_EQ(policies.points[2].x, 0);
}

TEST(CompareSeries, ScatterReadsBudgetsAsBytesAndAutoAsAWord) {
  const auto runs = shared({comparedRun("a", {{"memory.budget", "1GiB"}}, {3}), comparedRun("b", {{"memory.budget", "2GiB"}}, {2})});
  const auto budgets = scatterOf(runs, {0, 1}, "memory.budget", result("loss_last"));
  ASSERT_EQ(budgets.points.size(), 2u);
  EXPECT_EQ(budgets.points[1].x, 2147483648.0);
  EXPECT_EQ(budgets.xMeasure, plots::Measure::Bytes);
  const auto mixed = shared({comparedRun("a", {{"memory.budget", "1GiB"}}, {3}), comparedRun("b", {}, {2})});
  EXPECT_EQ(scatterOf(mixed, {0, 1}, "memory.budget", result("loss_last")).words.size(), 2u);
}

TEST(CompareSeries, PeaksTellWhatIsNotMeasured) {
  ComparedRun run = comparedRun("a", {}, {1});
  EXPECT_FALSE(peaksOf(shared({run}), {0})[0].isMeasured);
  run.fullest = run::MemoryPoint{};
  run.fullest->activation = 5;
  EXPECT_TRUE(peaksOf(shared({run}), {0})[0].isMeasured);
  EXPECT_EQ(peaksOf(shared({run}), {0})[0].activation, 5);
}

}  // namespace
}  // namespace tidemark::ui
