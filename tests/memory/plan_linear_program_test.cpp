// 200 random cases against the optimum of a linear program (tests/golden/plan/make_golden.py).
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "core/base/file.h"
#include "core/base/json.h"
#include "plan_cases.h"

namespace tidemark::memory {
namespace {

struct ProgramCase {
  PlanInput input;
  std::vector<std::optional<double>> leastBytes;  // per prefetch depth; nothing where the window does not fit
};

ProgramCase readCase(const Json& json) {
  ProgramCase result;
  std::mt19937 random(5);
  for (size_t i = 0; i < json["remote"].size(); ++i) {
    PieceProfile piece;
    piece.remoteBytes = json["remote"][i];
    piece.forwardCapacity = json["forward"][i];
    piece.backwardCapacity = json["backward"][i];
    piece.hasBackward = i >= json["forwardOnly"].get<size_t>();
    piece.gatherSeconds = static_cast<double>(piece.remoteBytes) * 1e-9 + 1e-5 * static_cast<double>(random() % 10);
    piece.forwardSeconds = 1e-4 * static_cast<double>(1 + random() % 20);
    piece.backwardSeconds = 2 * piece.forwardSeconds;
    result.input.pieces.push_back(piece);
  }
  result.input.turnCapacity = json["turn"];
  result.input.boundaryCapacity = json["boundary"];
  for (const Json& least : json["leastBytes"])
    result.leastBytes.push_back(least.is_null() ? std::nullopt : std::optional<double>(least.get<double>()));
  return result;
}

std::vector<ProgramCase> readCases() {
  std::vector<ProgramCase> cases;
  const auto text = readFile(std::string(TIDEMARK_GOLDEN) + "/plan/linear_program.json");
  EXPECT_TRUE(text.ok());
  const auto json = text.ok() ? parseJson(*text, "linear_program.json") : Result<Json>(Json::array());
  EXPECT_TRUE(json.ok());
  if (json.ok())
    for (const Json& one : *json) cases.push_back(readCase(one));
  EXPECT_EQ(cases.size(), 200u);
  return cases;
}

int64_t everything(const PlanInput& input) {
  int64_t bytes = 0;
  for (const PieceProfile& piece : input.pieces) bytes += (piece.hasBackward ? 2 : 1) * piece.remoteBytes;
  return bytes;
}

// The solver works to about 1e-9 of the sizes; whole bytes cost a few more.
double slackFor(const PlanInput& input) { return 4 + 1e-8 * static_cast<double>(everything(input)); }

TEST(PlanLinearProgram, OptimumIsThatOfTheProgram) {
  for (const ProgramCase& one : readCases()) {
    ASSERT_TRUE(one.leastBytes[0]);
    const int64_t optimum = optimalRemoteBytes(one.input);
    EXPECT_NEAR(static_cast<double>(optimum), std::ceil(*one.leastBytes[0]), 1 + 1e-8 * static_cast<double>(everything(one.input)));
  }
}

TEST(PlanLinearProgram, PlansGatherTheLeastThatTheirDepthAllows) {
  int cases = 0;
  int used[3] = {0, 0, 0};
  for (ProgramCase& one : readCases())
    for (int most = 0; most <= 2; ++most) {
      SCOPED_TRACE("case " + std::to_string(cases++ / 3) + ", depth up to " + std::to_string(most));
      one.input.maxPrefetchDepth = most;
      const Result<Plan> plan = makePlan(one.input);
      ASSERT_TRUE(plan.ok()) << plan.error().message();
      const Status checked = checkPlan(one.input, *plan);
      EXPECT_TRUE(checked.ok()) << checked.error().message();
      ASSERT_LE(plan->prefetchDepth, most);
      ++used[plan->prefetchDepth];
      const auto least = one.leastBytes[plan->prefetchDepth];
      ASSERT_TRUE(least) << "the program has no room for this depth";
      EXPECT_GE(static_cast<double>(plan->remoteBytes), *least - slackFor(one.input));
      EXPECT_LE(static_cast<double>(plan->remoteBytes), *least + slackFor(one.input));
    }
  for (const int count : used) EXPECT_GT(count, 30);
}

TEST(PlanLinearProgram, WithoutForwardOnlyPiecesTwoAreCutAtMost) {
  for (const ProgramCase& one : readCases()) {
    if (!one.input.pieces.front().hasBackward) continue;
    EXPECT_LE(cutPieces(one.input, *makePlan(one.input)), 2);
  }
}

TEST(PlanLinearProgram, OtherPoliciesFitAndGatherMore) {
  for (ProgramCase& one : readCases()) {
    for (const Policy policy : {Policy::Pinned, Policy::GatherAlways}) {
      one.input.policy = policy;
      const Result<Plan> plan = makePlan(one.input);
      ASSERT_TRUE(plan.ok());
      const Status checked = checkPlan(one.input, *plan);
      EXPECT_TRUE(checked.ok()) << checked.error().message();
      EXPECT_GE(plan->remoteBytes, plan->optimalRemoteBytes);
    }
  }
}

}  // namespace
}  // namespace tidemark::memory
