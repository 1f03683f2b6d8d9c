// Which runs are stopped, on curves whose answer can be told by hand.
#include "core/sweep/early_stopping.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace tidemark::sweep {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

Reports curve(const std::vector<double>& values) {
  Reports reports;
  for (size_t i = 0; i < values.size(); ++i) reports.push_back({static_cast<int64_t>(i) + 1, values[i]});
  return reports;
}

const EarlyStopping kMedian{EarlyStopping::Rule::Median, 2, 3, 2};
const EarlyStopping kHalving{EarlyStopping::Rule::Halving, 2, 2, 2};

std::vector<OtherRun> finished() { return {{curve({4, 3, 2}), true}, {curve({4, 4, 1}), true}, {curve({6, 4, 3}), true}}; }

TEST(MedianRule, StopsWhatIsWorseThanTheMedianOfTheMeans) {
  // Means up to step 2: 3.5, 4, 5. Their median is 4.
  EXPECT_THAT(reasonToStop(kMedian, Objective::Loss, curve({5, 4.5}), finished()), HasSubstr("at step 2 its best loss of 4.5 is worse than 4"));
  EXPECT_THAT(reasonToStop(kMedian, Objective::Loss, curve({5, 4}), finished()), IsEmpty()) << "equal is not worse";
  EXPECT_THAT(reasonToStop(kMedian, Objective::Loss, curve({3, 9}), finished()), IsEmpty()) << "its best counts";
}

TEST(MedianRule, WaitsForStepsAndForFinishedRuns) {
  EXPECT_THAT(reasonToStop(kMedian, Objective::Loss, curve({50}), finished()), IsEmpty());
  auto others = finished();
  others[2].isComplete = false;
  EXPECT_THAT(reasonToStop(kMedian, Objective::Loss, curve({50, 50}), others), IsEmpty());
  EXPECT_THAT(reasonToStop(kMedian, Objective::Loss, curve({50, 50}), {}), IsEmpty());
}

TEST(MedianRule, MoreTokensPerSecondAreBetter) {
  EXPECT_THAT(reasonToStop(kMedian, Objective::TokensPerSecond, curve({5, 5}), finished()), IsEmpty());
  EXPECT_THAT(reasonToStop(kMedian, Objective::TokensPerSecond, curve({3, 3.5}), finished()), HasSubstr("3.5 is worse than 4"));
}

TEST(HalvingRule, TheBetterHalfGoesOnAtEachRung) {
  const std::vector<OtherRun> others{{curve({9, 3, 3, 3}), false}, {curve({9, 5}), false}, {curve({9}), false}};
  // At rung 2: 3, 5 and itself; the best 2 of 3 go on.
  EXPECT_THAT(reasonToStop(kHalving, Objective::Loss, curve({9, 4}), others), IsEmpty());
  EXPECT_THAT(reasonToStop(kHalving, Objective::Loss, curve({9, 6}), others), HasSubstr("number 3 of 3"));
  // At rung 4 there are only the first and itself: the better one goes on.
  EXPECT_THAT(reasonToStop(kHalving, Objective::Loss, curve({9, 4, 4, 2}), others), IsEmpty());
  EXPECT_THAT(reasonToStop(kHalving, Objective::Loss, curve({9, 4, 4, 4}), others), HasSubstr("at step 4"));
}

TEST(HalvingRule, BetweenRungsNothingIsJudged) {
  const std::vector<OtherRun> others{{curve({1, 1, 1, 1}), true}};
  EXPECT_THAT(reasonToStop(kHalving, Objective::Loss, curve({9, 9, 9}), others), IsEmpty());
  EXPECT_THAT(reasonToStop(kHalving, Objective::Loss, curve({9}), others), IsEmpty());
}

TEST(HalvingRule, WaitsForEnoughRunsAtTheRung) {
  EarlyStopping three = kHalving;
  three.atLeast = 3;
  const std::vector<OtherRun> others{{curve({9, 1}), true}};
  EXPECT_THAT(reasonToStop(three, Objective::Loss, curve({9, 8}), others), IsEmpty());
  EXPECT_THAT(reasonToStop(kHalving, Objective::Loss, curve({9, 8}), others), HasSubstr("number 2 of 2 runs by loss, with 8; the best 1 goes on"));
}

TEST(HalvingRule, TheFirstToComeToARungGoesOn) {
  EXPECT_THAT(reasonToStop(kHalving, Objective::Loss, curve({9, 9}), {}), IsEmpty());
}

TEST(HalvingRule, ARunThatReportsSeldomIsJudgedAtTheFirstReportBeyondTheRung) {
  const Reports sparse{{5, 9}};  // rungs 2 and 4 have gone by
  EXPECT_THAT(reasonToStop(kHalving, Objective::EvalLoss, sparse, {{{{5, 1}}, true}}), HasSubstr("number 2 of 2"));
}

TEST(EarlyStopping, WhatIsNoNumberIsStoppedAndWithoutARuleNothingIs) {
  const Reports diverged = curve({9, std::nan("")});
  EXPECT_THAT(reasonToStop(kHalving, Objective::Loss, diverged, {}), HasSubstr("no number"));
  EXPECT_THAT(reasonToStop(EarlyStopping{}, Objective::Loss, diverged, finished()), IsEmpty());
}

}  // namespace
}  // namespace tidemark::sweep
