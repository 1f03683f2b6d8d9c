// Which runs a sweep has.
#include "core/sweep/points.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace tidemark::sweep {
namespace {

using testing::ElementsAre;
using testing::Pair;
using Kind = SweptKey::Kind;

Sweep gridSweep() {
  Sweep sweep;
  sweep.base.model = "/m.gguf";
  sweep.base.dataset.train = "/d.jsonl";
  sweep.keys = {{"training.learning_rate", Kind::Choice, {"1e-4", "2.0e-4"}}, {"peft.r", Kind::Choice, {"4", "8", "16"}}};
  return sweep;
}

TEST(Points, AGridTriesEveryCombinationTheLastKeyFastest) {
  const auto points = pointsOf(gridSweep());
  ASSERT_EQ(points.size(), 6u);
  EXPECT_THAT(points[0].values, ElementsAre(Pair("training.learning_rate", "0.0001"), Pair("peft.r", "4")));
  EXPECT_THAT(points[1].values, ElementsAre(Pair("training.learning_rate", "0.0001"), Pair("peft.r", "8")));
  EXPECT_THAT(points[5].values, ElementsAre(Pair("training.learning_rate", "0.0002"), Pair("peft.r", "16")));
  EXPECT_EQ(labelOf(gridSweep(), points[5]), "learning_rate=0.0002 r=16");
  const auto config = configOf(gridSweep(), points[5]);
  EXPECT_DOUBLE_EQ(config.training.learningRate, 2e-4);
  EXPECT_EQ(config.peft.r, 16);
  EXPECT_EQ(config.training.seed, 42);
}

TEST(Points, EverySeedComesAfterAllPointsOfTheOneBefore) {
  Sweep sweep = gridSweep();
  sweep.seeds = 2;
  const auto points = pointsOf(sweep);
  ASSERT_EQ(points.size(), 12u);
  EXPECT_EQ(points[6].values, points[0].values);
  EXPECT_EQ(points[0].seed, 42);
  EXPECT_EQ(points[6].seed, 43);
  EXPECT_EQ(configOf(sweep, points[6]).training.seed, 43);
  EXPECT_EQ(labelOf(sweep, points[6]), "learning_rate=0.0001 r=4 seed=43");
}

TEST(Points, ASweptSeedIsUsed) {
  Sweep sweep = gridSweep();
  sweep.keys = {{"training.seed", Kind::Choice, {"1", "2"}}};
  const auto points = pointsOf(sweep);
  EXPECT_EQ(configOf(sweep, points[1]).training.seed, 2);
}

TEST(Points, DrawnOnesAreDifferentWithinTheirRangesAndTheSameForTheSameSeed) {
  Sweep sweep = gridSweep();
  sweep.mode = Mode::Random;
  sweep.count = 200;
  sweep.keys = {{"training.learning_rate", Kind::LogUniform, {}, 1e-6, 1e-2}, {"training.weight_decay", Kind::Uniform, {}, 0, 0.1},
                {"peft.r", Kind::Integer, {}, 4, 6}};
  const auto points = pointsOf(sweep);
  ASSERT_EQ(points.size(), 200u);
  std::set<std::vector<std::pair<std::string, std::string>>> different;
  int below = 0;
  std::set<int64_t> ranks;
  for (const Point& point : points) {
    different.insert(point.values);
    const auto config = configOf(sweep, point);
    EXPECT_GE(config.training.learningRate, 1e-6);
    EXPECT_LE(config.training.learningRate, 1e-2);
    EXPECT_LE(config.training.weightDecay, 0.1);
    below += config.training.learningRate < 1e-4;
    ranks.insert(config.peft.r);
  }
  EXPECT_EQ(different.size(), 200u);
  EXPECT_THAT(ranks, ElementsAre(4, 5, 6));
  // Half of a log-uniform range lies below its geometric mean: 100 of 200, with a standard deviation of 7.
  EXPECT_GT(below, 70);
  EXPECT_LT(below, 130);
  const auto again = pointsOf(sweep);
  for (size_t i = 0; i < points.size(); ++i) EXPECT_EQ(points[i].values, again[i].values);
  sweep.seed = 2;
  EXPECT_NE(pointsOf(sweep)[0].values, points[0].values);
}

TEST(Points, AllCombinationsCanBeDrawn) {
  Sweep sweep = gridSweep();
  sweep.mode = Mode::Random;
  sweep.count = 6;
  EXPECT_EQ(combinations(sweep), 6);
  EXPECT_EQ(pointsOf(sweep).size(), 6u);
}

TEST(Points, AHugeGridIsCountedWithoutBeingMade) {
  Sweep sweep = gridSweep();
  std::vector<std::string> many;
  for (int i = 1; i <= 1000; ++i) many.push_back(std::to_string(i));
  sweep.keys = {{"peft.r", Kind::Choice, many}, {"training.seed", Kind::Choice, many}, {"training.max_steps", Kind::Choice, many}};
  EXPECT_EQ(combinations(sweep), kMostRuns + 1);
  EXPECT_LE(static_cast<int64_t>(pointsOf(sweep).size()), kMostRuns + 1);
}

}  // namespace
}  // namespace tidemark::sweep
