#include "core/memory/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plan_cases.h"

namespace tidemark::memory {
namespace {

using testing::HasSubstr;

// design.md section 5.3, for capacities that do not rise with depth.
int64_t closedForm(const PlanInput& input) {
  int64_t all = 0;
  for (const PieceProfile& piece : input.pieces) all += piece.remoteBytes;
  int64_t boundary = std::min(all, input.boundaryCapacity), turn = std::min(all, input.turnCapacity), before = 0;
  int64_t both = 2 * all;
  for (const PieceProfile& piece : input.pieces) {
    const int64_t capacity = std::min(piece.forwardCapacity, piece.backwardCapacity);
    boundary = std::min(boundary, capacity + before);
    before += piece.remoteBytes;
    turn = std::min(turn, capacity + all - before);
    both = std::min(both, all + capacity);
  }
  return 2 * all - std::min(boundary + turn, both);
}

TEST(Plan, MatchesTheClosedForm) {
  std::mt19937 random(3);
  for (int round = 0; round < 200; ++round) {
    const int count = static_cast<int>(drawBetween(random, 1, 60));
    PlanInput input = evenInput(count, drawBetween(random, 1, 1'000'000'000), 0, 0);
    const int64_t piece = input.pieces[0].remoteBytes;
    const int64_t deep = drawBetween(random, piece, piece * (count + 2)), shallow = deep + drawBetween(random, 0, piece * count);
    input = evenInput(count, piece, shallow, deep);
    input.maxPrefetchDepth = 0;
    const Result<Plan> plan = makePlan(input);
    ASSERT_TRUE(plan.ok());
    EXPECT_EQ(plan->remoteBytes, closedForm(input));
    EXPECT_EQ(plan->optimalRemoteBytes, closedForm(input));
    EXPECT_TRUE(checkPlan(input, *plan).ok());
  }
}

// 32 equal layers, activations of alpha cached layers per layer, 8 slots at the deepest: misses per iteration as known
// from exhaustive search (a keep counts in whole layers there).
TEST(Plan, MissesOfTheElasticOptimum) {
  struct Row { double alpha; int deepSlots; int misses; };
  for (const Row& row : {Row{0.25, 8, 41}, Row{0.5, 8, 33}, Row{0.5, 16, 17}, Row{1, 2, 30}, Row{2, 8, 24}}) {
    constexpr int64_t kLayer = 1000;
    PlanInput input = evenInput(32, kLayer, 0, 0);
    for (int i = 0; i < 32; ++i)
      input.pieces[i].forwardCapacity = input.pieces[i].backwardCapacity =
          static_cast<int64_t>((row.deepSlots + row.alpha * (31 - i)) * kLayer);
    input.turnCapacity = row.deepSlots * kLayer;
    input.boundaryCapacity = 64 * kLayer;
    input.maxPrefetchDepth = 0;
    EXPECT_EQ((optimalRemoteBytes(input) + kLayer - 1) / kLayer, row.misses) << "alpha " << row.alpha;
  }
}

TEST(Plan, EverythingIsKeptWhereItFits) {
  const PlanInput input = evenInput(24, 1 << 20, 24 << 20, 24 << 20);
  const Result<Plan> plan = makePlan(input);
  ASSERT_TRUE(plan.ok());
  EXPECT_EQ(plan->remoteBytes, 0);
  EXPECT_EQ(plan->optimalRemoteBytes, 0);
  EXPECT_EQ(plan->prefetchDepth, 2);
  EXPECT_NEAR(plan->predictedSeconds, 24 * 0.003, 1e-12);
  EXPECT_NEAR(plan->exposedSeconds, 0, 1e-12);
}

TEST(Plan, MoreRoomNeverGathersMore) {
  std::mt19937 random(4);
  for (int round = 0; round < 100; ++round) {
    PlanInput input = smallRandomInput(random, static_cast<int>(drawBetween(random, 2, 30)), 1000);
    if (round % 2 == 1)
      for (int64_t i = drawBetween(random, 0, static_cast<int64_t>(input.pieces.size()) - 1); i-- > 0;)
        input.pieces[i].hasBackward = false;
    input.maxPrefetchDepth = 0;
    int64_t lastPlanned = INT64_MAX - 3, lastOptimum = INT64_MAX;
    for (int step = 0; step < 12; ++step) {
      const Result<Plan> plan = makePlan(input);
      ASSERT_TRUE(plan.ok());
      EXPECT_LE(plan->remoteBytes, lastPlanned + 3);  // whole bytes of cut forward-only pieces
      EXPECT_LE(plan->optimalRemoteBytes, lastOptimum);
      lastPlanned = plan->remoteBytes;
      lastOptimum = plan->optimalRemoteBytes;
      for (PieceProfile& piece : input.pieces) {
        piece.forwardCapacity += drawBetween(random, 0, 1500);
        piece.backwardCapacity += drawBetween(random, 0, 1500);
      }
      input.turnCapacity += drawBetween(random, 0, 1500);
      input.boundaryCapacity += drawBetween(random, 0, 1500);
    }
  }
}

TEST(Plan, EqualInputsGiveEqualDigests) {
  std::mt19937 random(6);
  for (int round = 0; round < 50; ++round) {
    PlanInput input = smallRandomInput(random, 20, 1000);
    const std::string digest = planDigest(*makePlan(input));
    EXPECT_EQ(digest, planDigest(*makePlan(PlanInput(input))));
  }
  PlanInput narrow = evenInput(8, 100, 400, 300), wide = evenInput(8, 100, 500, 300);
  EXPECT_NE(planDigest(*makePlan(narrow)), planDigest(*makePlan(wide)));
  wide.policy = Policy::Pinned;
  EXPECT_THAT(planDigest(*makePlan(wide)), HasSubstr("pinned"));
}

TEST(Plan, OutOfMemoryNamesThePieceThatMissesMost) {
  PlanInput input = evenInput(6, 1000, 5000, 5000);
  input.pieces[2].backwardCapacity = 990;
  input.pieces[4].forwardCapacity = 900;
  const Result<Plan> plan = makePlan(input);
  ASSERT_FALSE(plan.ok());
  EXPECT_EQ(plan.error().code, ErrorCode::OutOfMemory);
  EXPECT_THAT(plan.error().subject, HasSubstr("piece 4 in forward"));
  EXPECT_THAT(plan.error().detail, HasSubstr("1000 B"));
  EXPECT_THAT(plan.error().detail, HasSubstr("900 B"));
  input.policy = Policy::GatherAlways;
  EXPECT_FALSE(makePlan(input).ok());
  input.policy = Policy::Unsharded;
  EXPECT_TRUE(makePlan(input).ok());
}

TEST(Plan, OutOfMemoryAtTheTurnIsNamed) {
  PlanInput input = evenInput(3, 10, 100, 100);
  input.turnCapacity = -5;
  const Result<Plan> plan = makePlan(input);
  ASSERT_FALSE(plan.ok());
  EXPECT_EQ(plan.error().subject, "the turn");
}

TEST(Plan, NonsenseIsRefused) {
  EXPECT_EQ(makePlan(PlanInput{}).error().code, ErrorCode::InvalidInput);
  PlanInput input = evenInput(3, 10, 100, 100);
  input.pieces[1].hasBackward = false;
  EXPECT_EQ(makePlan(input).error().subject, "piece 1");
  input = evenInput(3, 10, 100, 100);
  input.pieces[2].remoteBytes = -1;
  EXPECT_EQ(makePlan(input).error().subject, "piece 2");
  input = evenInput(3, 10, 100, 100);
  input.pieces[0].gatherSeconds = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(makePlan(input).error().subject, "piece 0");
}

TEST(Plan, UnshardedGathersNothing) {
  PlanInput input = evenInput(5, 1000, 0, 0);
  input.pieces[0].hasBackward = false;
  input.policy = Policy::Unsharded;
  const Result<Plan> plan = makePlan(input);
  ASSERT_TRUE(plan.ok());
  EXPECT_EQ(plan->remoteBytes, 0);
  EXPECT_EQ(plan->optimalRemoteBytes, 0);
  EXPECT_TRUE(checkPlan(input, *plan).ok());
}

TEST(Plan, TheCheckFindsEveryKindOfBreach) {
  const PlanInput input = evenInput(4, 100, 300, 200);
  const Plan good = *makePlan(input);
  ASSERT_TRUE(checkPlan(input, good).ok());
  Plan bad = good;
  bad.remoteBytes += 1;
  EXPECT_EQ(checkPlan(input, bad).error().code, ErrorCode::InvalidInput);
  bad = good;
  bad.keeps.pop_back();
  EXPECT_FALSE(checkPlan(input, bad).ok());
  bad = good;
  bad.prefetchDepth = 3;
  EXPECT_FALSE(checkPlan(input, bad).ok());
  bad = good;
  for (PieceKeep& keep : bad.keeps) keep = {100, 100};
  bad.remoteBytes = 0;
  EXPECT_EQ(checkPlan(input, bad).error().code, ErrorCode::OutOfMemory);
  PlanInput pinned = input;
  pinned.policy = Policy::Pinned;
  bad = good;
  bad.policy = Policy::Pinned;
  bad.keeps[1] = {100, 0};
  EXPECT_FALSE(checkPlan(pinned, bad).ok());
}

// The window counts as whole: a plan that fits on demand may not fit with pieces gathered ahead.
TEST(Plan, TheCheckCountsWhatIsGatheredAhead) {
  PlanInput input = evenInput(4, 100, 100, 100);
  input.policy = Policy::GatherAlways;
  Plan plan = *makePlan(input);
  EXPECT_EQ(plan.prefetchDepth, 0);
  plan.prefetchDepth = 1;
  EXPECT_EQ(checkPlan(input, plan).error().code, ErrorCode::OutOfMemory);
  input = evenInput(4, 100, 200, 200);
  input.policy = Policy::GatherAlways;
  EXPECT_EQ(makePlan(input)->prefetchDepth, 1);
}

}  // namespace
}  // namespace tidemark::memory
