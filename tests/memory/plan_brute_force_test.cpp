// Every plan in whole units on small cases, against the planner.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "plan_cases.h"

namespace tidemark::memory {
namespace {

// The note "moments" of plan.h word for word, with nothing gathered ahead.
bool fitsOnDemand(const PlanInput& input, const std::vector<PieceKeep>& keeps) {
  const size_t count = keeps.size();
  int64_t turn = 0, boundary = 0;
  for (const PieceKeep& keep : keeps) {
    turn += keep.turnBytes;
    boundary += keep.boundaryBytes;
  }
  if (turn > input.turnCapacity || boundary > input.boundaryCapacity) return false;
  for (size_t k = 0; k < count; ++k) {
    int64_t held = input.pieces[k].remoteBytes;
    for (size_t j = 0; j < count; ++j)
      if (j != k) held += j > k ? keeps[j].boundaryBytes : keeps[j].turnBytes;
    if (held > input.pieces[k].forwardCapacity) return false;
    if (input.pieces[k].hasBackward && held > input.pieces[k].backwardCapacity) return false;
  }
  return true;
}

int64_t gathered(const PlanInput& input, const std::vector<PieceKeep>& keeps) {
  int64_t bytes = 0;
  for (size_t i = 0; i < keeps.size(); ++i) {
    bytes += input.pieces[i].remoteBytes - keeps[i].boundaryBytes;
    if (input.pieces[i].hasBackward) bytes += input.pieces[i].remoteBytes - keeps[i].turnBytes;
  }
  return bytes;
}

// Calls `visit` with every combination of keeps; only whole pieces, alike over both intervals, if constant.
void forEachPlan(const PlanInput& input, bool isConstant, const std::function<void(const std::vector<PieceKeep>&)>& visit) {
  std::vector<PieceKeep> keeps(input.pieces.size());
  const std::function<void(size_t)> choose = [&](size_t piece) {
    if (piece == keeps.size()) return visit(keeps);
    const int64_t most = input.pieces[piece].remoteBytes;
    const bool isOneInterval = isConstant || !input.pieces[piece].hasBackward;
    const int64_t step = isConstant ? std::max<int64_t>(1, most) : 1;
    for (int64_t boundary = 0; boundary <= most; boundary += step)
      for (int64_t turn = isOneInterval ? boundary : 0; turn <= (isOneInterval ? boundary : most); ++turn) {
        keeps[piece] = {boundary, turn};
        choose(piece + 1);
      }
  };
  choose(0);
}

int64_t leastByTrying(const PlanInput& input, bool isConstant) {
  int64_t least = std::numeric_limits<int64_t>::max();
  forEachPlan(input, isConstant, [&](const std::vector<PieceKeep>& keeps) {
    const int64_t bytes = gathered(input, keeps);
    if (bytes < least && fitsOnDemand(input, keeps)) least = bytes;
  });
  return least;
}

Plan planOf(const PlanInput& input) {
  const Result<Plan> plan = makePlan(input);
  EXPECT_TRUE(plan.ok()) << (plan.ok() ? "" : plan.error().message());
  if (!plan.ok()) return {};
  const Status checked = checkPlan(input, *plan);
  EXPECT_TRUE(checked.ok()) << (checked.ok() ? "" : checked.error().message());
  return *plan;
}

TEST(PlanBruteForce, ElasticGathersTheLeastBytesOfAllPlans) {
  std::mt19937 random(11);
  int savedSomething = 0;
  for (int round = 0; round < 400; ++round) {
    PlanInput input = smallRandomInput(random, static_cast<int>(drawBetween(random, 2, round % 20 == 0 ? 5 : 4)), 2);
    input.maxPrefetchDepth = 0;
    const int64_t least = leastByTrying(input, false);
    const Plan plan = planOf(input);
    EXPECT_EQ(plan.remoteBytes, least) << "round " << round;
    EXPECT_EQ(plan.optimalRemoteBytes, least) << "round " << round;
    EXPECT_EQ(optimalRemoteBytes(input), least);
    savedSomething += plan.remoteBytes > 0 ? 1 : 0;
  }
  EXPECT_GT(savedSomething, 100);  // the cases are not trivial
}

// With forward-only pieces, cutting them can beat every plan in whole units: the planner must be at least as good in
// finer units, and no better than what rounding allows where it keeps whole units itself.
TEST(PlanBruteForce, ForwardOnlyPiecesAreKeptAtLeastAsWell) {
  constexpr int64_t kFiner = 1000;
  std::mt19937 random(12);
  int equal = 0, better = 0;
  for (int round = 0; round < 400; ++round) {
    PlanInput units = smallRandomInput(random, static_cast<int>(drawBetween(random, 2, 5)), 2);
    const int64_t lower = drawBetween(random, 1, static_cast<int64_t>(units.pieces.size()));  // all of them, too
    for (int64_t i = 0; i < lower; ++i) units.pieces[i].hasBackward = false;
    units.maxPrefetchDepth = 0;
    const int64_t least = leastByTrying(units, false);
    const Plan plan = planOf(scaled(units, kFiner));
    EXPECT_LE(plan.remoteBytes, least * kFiner) << "round " << round;
    EXPECT_LE(plan.optimalRemoteBytes, plan.remoteBytes);
    EXPECT_GE(plan.optimalRemoteBytes + 3, plan.remoteBytes);
    ++(plan.remoteBytes == least * kFiner ? equal : better);
  }
  EXPECT_GT(equal, better);
  EXPECT_GT(better, 0);
}

TEST(PlanBruteForce, PinnedIsNoWorseThanAnyConstantSetOfWholePieces) {
  std::mt19937 random(13);
  int pinnedSome = 0;
  for (int round = 0; round < 600; ++round) {
    PlanInput input = smallRandomInput(random, static_cast<int>(drawBetween(random, 2, 5)), 7);
    const int64_t lower = round % 2 == 0 ? 0 : drawBetween(random, 0, static_cast<int64_t>(input.pieces.size()));
    for (int64_t i = 0; i < lower; ++i) input.pieces[i].hasBackward = false;
    input.policy = Policy::Pinned;
    input.maxPrefetchDepth = 0;
    const Plan plan = planOf(input);
    EXPECT_LE(plan.remoteBytes, leastByTrying(input, true)) << "round " << round;
    EXPECT_GE(plan.remoteBytes, plan.optimalRemoteBytes);
    for (const PieceKeep& keep : plan.keeps) {
      EXPECT_EQ(keep.boundaryBytes, keep.turnBytes);
      pinnedSome += keep.turnBytes > 0 ? 1 : 0;
    }
    EXPECT_LE(cutPieces(input, plan), 4);  // one of each kind, counted over both intervals
  }
  EXPECT_GT(pinnedSome, 300);
}

TEST(PlanBruteForce, GatherAlwaysKeepsNothing) {
  std::mt19937 random(14);
  for (int round = 0; round < 100; ++round) {
    PlanInput input = smallRandomInput(random, 4, 3);
    input.pieces[0].hasBackward = false;
    input.policy = Policy::GatherAlways;
    const Plan plan = planOf(input);
    int64_t all = -input.pieces[0].remoteBytes;
    for (const PieceProfile& piece : input.pieces) all += 2 * piece.remoteBytes;
    EXPECT_EQ(plan.remoteBytes, all);
  }
}

TEST(PlanBruteForce, TheCheckAgreesWithTheWrittenConditionsForEveryPlan) {
  std::mt19937 random(15);
  int fitting = 0, failing = 0;
  for (int round = 0; round < 20; ++round) {
    PlanInput input = smallRandomInput(random, 3, 2);
    if (round % 2 == 0) input.pieces[0].hasBackward = false;
    forEachPlan(input, false, [&](const std::vector<PieceKeep>& keeps) {
      Plan plan;
      plan.keeps = keeps;
      plan.remoteBytes = gathered(input, keeps);
      const bool fits = fitsOnDemand(input, keeps);
      ++(fits ? fitting : failing);
      ASSERT_EQ(checkPlan(input, plan).ok(), fits);
    });
  }
  EXPECT_GT(fitting, 100);
  EXPECT_GT(failing, 100);
}

}  // namespace
}  // namespace tidemark::memory
