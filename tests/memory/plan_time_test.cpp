// The predicted time of plans: the replay against hand-made schedules, the spread of the misses, and the planner's own time.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <functional>

#include "plan_cases.h"

namespace tidemark::memory {
namespace {

constexpr double kTolerance = 1e-9;

Plan planWith(std::vector<PieceKeep> keeps, int prefetchDepth) {
  Plan plan;
  plan.keeps = std::move(keeps);
  plan.prefetchDepth = prefetchDepth;
  return plan;
}

PlanInput timedInput(int count, double gather, double forward, double backward) {
  PlanInput input = evenInput(count, 100, 100 * count, 100 * count);
  for (PieceProfile& piece : input.pieces) {
    piece.gatherSeconds = gather;
    piece.forwardSeconds = forward;
    piece.backwardSeconds = backward;
  }
  return input;
}

TEST(PlanTime, OnDemandEveryGatherIsExposed) {
  const PlanInput input = timedInput(3, 2, 1, 4);
  double exposed = 0;
  EXPECT_NEAR(simulateSeconds(input, planWith({{0, 0}, {0, 0}, {0, 0}}, 0), &exposed), 3 * 5 + 6 * 2, kTolerance);
  EXPECT_NEAR(exposed, 12, kTolerance);
  EXPECT_NEAR(simulateSeconds(input, planWith({{100, 0}, {0, 25}, {0, 100}}, 0), &exposed), 15 + 2 + 2 + 2 + 1.5, kTolerance);
  EXPECT_NEAR(exposed, 7.5, kTolerance);
}

TEST(PlanTime, OneAheadHidesBehindThePieceBefore) {
  double exposed = 0;
  // Gathers shorter than computing hide entirely, over turn and boundary too.
  EXPECT_NEAR(simulateSeconds(timedInput(3, 1, 2, 2), planWith({{0, 0}, {0, 0}, {0, 0}}, 1), &exposed), 12, kTolerance);
  EXPECT_NEAR(exposed, 0, kTolerance);
  // Longer ones keep the channel busy all the time.
  EXPECT_NEAR(simulateSeconds(timedInput(3, 3, 2, 2), planWith({{0, 0}, {0, 0}, {0, 0}}, 1), &exposed), 18, kTolerance);
  EXPECT_NEAR(exposed, 6, kTolerance);
}

// Two pieces, backward of piece 1 the only miss (5 s): forward 0, forward 1, backward 1, backward 0 take 1 s each.
TEST(PlanTime, TheWindowCrossesTheTurn) {
  const PlanInput input = timedInput(2, 5, 1, 1);
  const std::vector<PieceKeep> keeps{{100, 100}, {100, 0}};
  EXPECT_NEAR(simulateSeconds(input, planWith(keeps, 0), nullptr), 9, kTolerance);
  EXPECT_NEAR(simulateSeconds(input, planWith(keeps, 1), nullptr), 8, kTolerance);
  EXPECT_NEAR(simulateSeconds(input, planWith(keeps, 2), nullptr), 7, kTolerance);
}

TEST(PlanTime, TheWindowCrossesTheBoundary) {
  const PlanInput input = timedInput(2, 5, 1, 1);
  const std::vector<PieceKeep> keeps{{0, 100}, {100, 100}};
  EXPECT_NEAR(simulateSeconds(input, planWith(keeps, 0), nullptr), 9, kTolerance);
  EXPECT_NEAR(simulateSeconds(input, planWith(keeps, 2), nullptr), 7, kTolerance);
}

TEST(PlanTime, OneChannelServesGathersInOrder) {
  // The second miss may begin after 1 s, but has the channel only after 2 s: it arrives at 4 s, is due at 3 s.
  PlanInput input = timedInput(4, 2, 1, 0);
  const std::vector<PieceKeep> keeps{{100, 100}, {100, 100}, {0, 100}, {0, 100}};
  EXPECT_NEAR(simulateSeconds(input, planWith(keeps, 2), nullptr), 5, kTolerance);
}

TEST(PlanTime, ForwardOnlyPiecesHaveNoBackward) {
  PlanInput input = timedInput(3, 2, 1, 4);
  input.pieces[0].hasBackward = false;
  EXPECT_NEAR(simulateSeconds(input, planWith({{0, 0}, {0, 0}, {0, 0}}, 0), nullptr), 3 + 8 + 5 * 2, kTolerance);
}

// 32 layers, 16 kept over each interval, gathers twice as long as computing: side by side they cost half as much again.
TEST(PlanTime, SpreadMissesHideWhereClusteredOnesDoNot) {
  const PlanInput input = timedInput(32, 2, 1, 1);
  std::vector<PieceKeep> spread, clustered;
  for (int i = 0; i < 32; ++i) {
    spread.push_back(i % 2 == 0 ? PieceKeep{100, 100} : PieceKeep{0, 0});
    clustered.push_back(i < 16 ? PieceKeep{100, 100} : PieceKeep{0, 0});
  }
  const double together = simulateSeconds(input, planWith(clustered, 2), nullptr);
  const double apart = simulateSeconds(input, planWith(spread, 2), nullptr);
  EXPECT_LT(apart, 68);
  EXPECT_GT(together, 90);
}

// The bound is that of design.md section 5.4: in each pass, the longer of computing and gathering its misses; and no miss
// hides more than what the pieces of its window compute.
TEST(PlanTime, ElasticPlansComeCloseToTheBound) {
  for (const double gather : {0.5, 1.0, 2.0, 4.0})
    for (const int deep : {4, 8, 16, 24})
      for (const double alpha : {0.0, 0.25, 0.5, 1.0}) {
        const int count = 32;
        PlanInput input = timedInput(count, gather, 1, 1);
        for (int i = 0; i < count; ++i)
          input.pieces[i].forwardCapacity = input.pieces[i].backwardCapacity =
              static_cast<int64_t>(100 * (deep + alpha * (count - 1 - i)));
        input.turnCapacity = 100 * deep;
        input.boundaryCapacity = static_cast<int64_t>(100 * (deep + alpha * count));
        const Result<Plan> plan = makePlan(input);
        ASSERT_TRUE(plan.ok());
        EXPECT_TRUE(checkPlan(input, *plan).ok());
        double bound = 0;
        for (const auto kept : {&PieceKeep::boundaryBytes, &PieceKeep::turnBytes}) {
          double gathering = 0, tooLong = 0;
          for (const PieceKeep& keep : plan->keeps) {
            const double seconds = gather * static_cast<double>(100 - keep.*kept) / 100;
            gathering += seconds;
            tooLong += std::max(0.0, seconds - plan->prefetchDepth);
          }
          bound += std::max(gathering, count + tooLong);
        }
        EXPECT_LE(plan->predictedSeconds, 1.1 * bound)
            << "gather " << gather << " deep " << deep << " alpha " << alpha << " depth " << plan->prefetchDepth;
      }
}


// The fastest plan that gathers as many bytes at the same depth and cuts no more pieces, in whole units.
double fastestByTrying(const PlanInput& input, const Plan& plan) {
  const int cuts = cutPieces(input, plan);
  const size_t slots = 2 * input.pieces.size();
  double fastest = plan.predictedSeconds;
  Plan tried = plan;
  const std::function<void(size_t, int64_t)> choose = [&](size_t slot, int64_t toGather) {
    if (toGather < 0) return;
    if (slot == slots) {
      if (toGather > 0 || cutPieces(input, tried) > cuts) return;
      const double seconds = simulateSeconds(input, tried, nullptr);
      if (seconds < fastest && checkPlan(input, tried).ok()) fastest = seconds;
      return;
    }
    const int64_t remote = input.pieces[slot / 2].remoteBytes;
    for (int64_t kept = 0; kept <= remote; ++kept) {
      (slot % 2 == 0 ? tried.keeps[slot / 2].boundaryBytes : tried.keeps[slot / 2].turnBytes) = kept;
      choose(slot + 1, toGather - (remote - kept));
    }
  };
  choose(0, plan.remoteBytes);
  return fastest;
}

TEST(PlanTime, ElasticPlansAreNearlyTheFastestOfTheLeastTraffic) {
  std::mt19937 random(77);
  double ratios = 0;
  int cases = 0;
  for (int round = 0; round < 120; ++round) {
    PlanInput input = smallRandomInput(random, static_cast<int>(drawBetween(random, 3, 5)), round % 2 == 0 ? 1 : 2);
    for (PieceProfile& piece : input.pieces) piece.gatherSeconds *= 0.5 + 0.25 * static_cast<double>(random() % 8);
    const Result<Plan> plan = makePlan(input);
    ASSERT_TRUE(plan.ok());
    if (plan->exposedSeconds == 0) continue;
    const double ratio = plan->predictedSeconds / fastestByTrying(input, *plan);
    EXPECT_LT(ratio, 1.15) << "round " << round;
    ratios += ratio;
    ++cases;
  }
  ASSERT_GT(cases, 50);
  std::printf("  %d cases, on average %.2f %% slower than the fastest\n", cases, 100 * (ratios / cases - 1));
  EXPECT_LT(ratios / cases, 1.01);
}

PlanInput manyPieces(int count, int forwardOnly) {
  std::mt19937 random(9);
  PlanInput input = evenInput(count, 4 << 20, int64_t(count) * (3 << 20), int64_t(count) << 20);
  for (int i = 0; i < count; ++i) {
    PieceProfile& piece = input.pieces[i];
    piece.hasBackward = i >= forwardOnly;
    piece.remoteBytes = drawBetween(random, 1 << 20, 12 << 20);
    piece.gatherSeconds = 1e-9 * static_cast<double>(piece.remoteBytes) + 1e-4;
    piece.forwardCapacity -= drawBetween(random, 0, 8 << 20);
  }
  return input;
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr double kMostSeconds = 10;  // instrumented code says nothing of speed
#else
constexpr double kMostSeconds = 1;
#endif

TEST(PlanTime, PlanningIsFast) {
  for (const int count : {500, 1000})
    for (const int forwardOnly : {0, 1, count / 2})
      for (const Policy policy : {Policy::Elastic, Policy::Pinned}) {
        PlanInput input = manyPieces(count, forwardOnly);
        input.policy = policy;
        const auto began = std::chrono::steady_clock::now();
        const Result<Plan> plan = makePlan(input);
        const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
        ASSERT_TRUE(plan.ok());
        EXPECT_TRUE(checkPlan(input, *plan).ok());
        EXPECT_LT(seconds, kMostSeconds);
        std::printf("  %4d pieces, %3d forward-only, %s: planned in %.1f ms, depth %d, %.1f %% above Q\n", count,
                    forwardOnly, policy == Policy::Elastic ? "elastic" : "pinned ", seconds * 1e3, plan->prefetchDepth,
                    100.0 * static_cast<double>(plan->remoteBytes - plan->optimalRemoteBytes) /
                        static_cast<double>(std::max<int64_t>(1, plan->optimalRemoteBytes)));
      }
}

}  // namespace
}  // namespace tidemark::memory
