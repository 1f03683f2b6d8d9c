#include "plots/decimate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

namespace tidemark::plots {
namespace {

Curve noise(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> value(2, 0.3);
  Curve curve;
  for (std::size_t i = 0; i < count; ++i) curve.push_back({static_cast<double>(i), value(random)});
  return curve;
}

double lowest(const Curve& curve, double from, double to) {
  double low = std::numeric_limits<double>::infinity();
  for (const CurvePoint& p : curve) {
    if (p.x >= from && p.x < to) low = std::min(low, p.y);
  }
  return low;
}

TEST(Decimate, LeavesShortCurvesAlone) {
  const Curve curve = noise(400, 1);
  EXPECT_EQ(decimate(curve, 100).size(), 400u);
}

TEST(Decimate, KeepsEveryBucketsExtremesAndBothEnds) {
  Curve curve = noise(100'001, 2);
  curve[77'123].y = 50;    // one spike and one dip that sampling would miss
  curve[12'345].y = -50;
  const Curve few = decimate(curve, 500);
  EXPECT_LE(few.size(), 2004u);
  EXPECT_DOUBLE_EQ(few.front().x, 0);
  EXPECT_DOUBLE_EQ(few.back().x, 100'000);
  EXPECT_TRUE(std::any_of(few.begin(), few.end(), [](const CurvePoint& p) { return p.x == 77'123 && p.y == 50; }));
  EXPECT_TRUE(std::any_of(few.begin(), few.end(), [](const CurvePoint& p) { return p.x == 12'345 && p.y == -50; }));
  const double width = 200.0;
  for (int bucket = 0; bucket < 500; ++bucket) {
    EXPECT_DOUBLE_EQ(lowest(few, bucket * width, (bucket + 1) * width), lowest(curve, bucket * width, (bucket + 1) * width));
  }
}

TEST(Decimate, KeepsOrderAndInventsNothing) {
  const Curve curve = noise(20'000, 3);
  const Curve few = decimate(curve, 64);
  EXPECT_TRUE(std::is_sorted(few.begin(), few.end(), [](auto& a, auto& b) { return a.x < b.x; }));
  for (const CurvePoint& p : few) EXPECT_EQ(p.y, curve[static_cast<std::size_t>(p.x)].y);
}

TEST(Decimate, KeepsGaps) {
  Curve curve = noise(10'000, 4);
  curve[5'000].y = std::numeric_limits<double>::quiet_NaN();
  const Curve few = decimate(curve, 50);
  EXPECT_EQ(std::count_if(few.begin(), few.end(), [](auto& p) { return std::isnan(p.y); }), 1);
}

TEST(Decimate, TakesEqualXAndNothing) {
  EXPECT_TRUE(decimate({}, 10).empty());
  EXPECT_EQ(decimate(Curve(100, {1, 1}), 3).size(), 100u);
}

TEST(Smooth, HasNoBiasTowardsZero) {
  for (const CurvePoint& p : smooth(Curve(50, {0, 3.5}), 0.9)) EXPECT_NEAR(p.y, 3.5, 1e-12);
}

TEST(Smooth, MatchesTheDefinition) {
  const Curve curve{{0, 1}, {1, 2}, {2, 4}};
  const Curve out = smooth(curve, 0.5);  // weights 1/2^k of the values before, divided by their sum
  EXPECT_NEAR(out[1].y, (1 * 0.25 + 2 * 0.5) / 0.75, 1e-12);
  EXPECT_NEAR(out[2].y, (1 * 0.125 + 2 * 0.25 + 4 * 0.5) / 0.875, 1e-12);
  EXPECT_EQ(smooth(curve, 0)[2].y, 4);
}

}  // namespace
}  // namespace tidemark::plots
