#include "core/train/budget_watch.h"

#include <gtest/gtest.h>

namespace tidemark::train {
namespace {

constexpr int64_t kMib = 1 << 20;

TEST(BudgetWatch, AllowsWhatIsHeldAndAPartOfWhatIsFree) {
  const BudgetWatch watch(1000 * kMib);
  EXPECT_EQ(watch.allowedBytes({100 * kMib, 300 * kMib, 2}), 340 * kMib);  // 80 % of the free, in two parts
  EXPECT_EQ(watch.allowedBytes({5000 * kMib, 300 * kMib, 2}), 1000 * kMib) << "never more than configured";
  EXPECT_EQ(watch.allowedBytes({0, 300 * kMib, 2}), 1000 * kMib) << "nothing is known of the device";
}

TEST(BudgetWatch, ChangesOnlyWhatCallsForAnotherPlan) {
  BudgetWatch watch(1000 * kMib);
  EXPECT_EQ(watch.next(1000 * kMib, 600 * kMib), 1000 * kMib);
  EXPECT_EQ(watch.next(700 * kMib, 600 * kMib), 1000 * kMib) << "the plan fits all the same";
  EXPECT_EQ(watch.next(500 * kMib, 600 * kMib), 500 * kMib);
  watch.use(500 * kMib, 500 * kMib);
  EXPECT_EQ(watch.next(520 * kMib, 490 * kMib), 500 * kMib) << "a little more is not worth a plan";
  EXPECT_EQ(watch.next(560 * kMib, 490 * kMib), 560 * kMib);
  EXPECT_EQ(watch.next(5000 * kMib, 490 * kMib), 1000 * kMib);
}

TEST(BudgetWatch, AsksNoMoreForLessThanTheRunNeeds) {
  BudgetWatch watch(1000 * kMib);
  EXPECT_EQ(watch.next(200 * kMib, 600 * kMib), 200 * kMib);
  watch.use(350 * kMib, 200 * kMib);
  EXPECT_EQ(watch.next(200 * kMib, 345 * kMib), 350 * kMib);
  EXPECT_EQ(watch.next(100 * kMib, 360 * kMib), 350 * kMib);
  EXPECT_EQ(watch.next(1000 * kMib, 345 * kMib), 1000 * kMib);
}

}  // namespace
}  // namespace tidemark::train
