#include "core/memory/plan.h"

#include <algorithm>
#include <cmath>

#include "core/base/bytes.h"
#include "core/memory/plan_moments.h"
#include "core/memory/plan_refine.h"
#include "core/memory/plan_spread.h"
#include "core/memory/plan_totals.h"

namespace tidemark::memory {
namespace {

const char* policyName(Policy policy) {
  switch (policy) {
    case Policy::Elastic: return "elastic";
    case Policy::Pinned: return "pinned";
    case Policy::GatherAlways: return "gather-always";
    case Policy::Unsharded: return "unsharded";
  }
  return "";
}

std::string exactBytes(int64_t bytes) { return std::to_string(bytes) + " B (" + formatBytes(bytes) + ")"; }

Status validate(const PlanInput& input) {
  const auto wrong = [](size_t piece, std::string detail) {
    return Error{ErrorCode::InvalidInput, "piece " + std::to_string(piece), std::move(detail)};
  };
  if (input.pieces.empty()) return Error{ErrorCode::InvalidInput, "memory plan", "has no pieces to plan for"};
  if (input.maxPrefetchDepth < 0)
    return Error{ErrorCode::InvalidInput, "prefetch depth", "must not be negative"};
  for (size_t i = 0; i < input.pieces.size(); ++i) {
    const PieceProfile& piece = input.pieces[i];
    if (piece.remoteBytes < 0) return wrong(i, "has a negative size");
    for (const double seconds : {piece.gatherSeconds, piece.forwardSeconds, piece.backwardSeconds})
      if (!std::isfinite(seconds) || seconds < 0) return wrong(i, "has a time that is negative or not a number");
    if (i > 0 && !piece.hasBackward && input.pieces[i - 1].hasBackward)
      return wrong(i, "has no backward although a shallower piece has one");
  }
  return {};
}

Error outOfMemory(const Moment& moment) {
  std::string subject;
  switch (moment.kind) {
    case Moment::Kind::Forward: subject = "piece " + std::to_string(moment.piece) + " in forward"; break;
    case Moment::Kind::Backward: subject = "piece " + std::to_string(moment.piece) + " in backward"; break;
    case Moment::Kind::Turn: subject = "the turn"; break;
    case Moment::Kind::Boundary: subject = "the iteration boundary"; break;
  }
  return {ErrorCode::OutOfMemory, subject,
          "needs " + exactBytes(moment.wholeBytes) + " for remote weights in use, " + exactBytes(moment.capacityBytes) +
              " are available beside what else is held then; raise the budget, or use smaller micro-batches or more ranks"};
}

int64_t gatheredBytes(const PlanInput& input, const std::vector<PieceKeep>& keeps) {
  int64_t bytes = 0;
  for (size_t i = 0; i < keeps.size(); ++i) {
    bytes += input.pieces[i].remoteBytes - keeps[i].boundaryBytes;
    if (input.pieces[i].hasBackward) bytes += input.pieces[i].remoteBytes - keeps[i].turnBytes;
  }
  return bytes;
}

int64_t optimumOf(const Schedule& schedule) {
  const double least = static_cast<double>(schedule.gatheredBytes()) - greatestSavedBytes(schedule);
  return static_cast<int64_t>(std::ceil(std::max(0.0, least - 0.01)));  // the search is exact to far less than a byte
}

Plan finishedPlan(const PlanInput& input, int prefetchDepth, std::vector<PieceKeep> keeps) {
  Plan plan;
  plan.policy = input.policy;
  plan.prefetchDepth = prefetchDepth;
  plan.remoteBytes = gatheredBytes(input, keeps);
  plan.keeps = std::move(keeps);
  plan.predictedSeconds = simulateSeconds(input, plan, &plan.exposedSeconds);
  return plan;
}

// Figures are compared with a tolerance, so that a tie is one whatever the order of summation.
bool isFaster(const Plan& plan, const Plan& other) {
  return plan.predictedSeconds < other.predictedSeconds * (1 - 1e-9);
}

Plan elasticPlan(const PlanInput& input, const Schedule& schedule) {
  Plan best;
  for (const KeepTotals& totals : bestTotals(schedule))
    for (const SpreadFirst first : {SpreadFirst::Boundary, SpreadFirst::Turn}) {
      Plan plan = finishedPlan(input, schedule.prefetchDepth, placeKeeps(input, schedule, totals, first));
      if (best.keeps.empty() || isFaster(plan, best)) best = std::move(plan);
    }
  refineKeeps(input, schedule, best.keeps);
  return finishedPlan(input, schedule.prefetchDepth, std::move(best.keeps));
}

Plan planAtDepth(const PlanInput& input, const Schedule& schedule) {
  if (input.policy == Policy::Elastic) return elasticPlan(input, schedule);
  std::vector<PieceKeep> keeps = input.policy == Policy::Pinned ? placePinned(input, schedule)
                                                                : std::vector<PieceKeep>(input.pieces.size());
  return finishedPlan(input, schedule.prefetchDepth, std::move(keeps));
}

Plan unshardedPlan(const PlanInput& input) {
  std::vector<PieceKeep> keeps;
  for (const PieceProfile& piece : input.pieces) keeps.push_back({piece.remoteBytes, piece.remoteBytes});
  return finishedPlan(input, 0, std::move(keeps));
}

}  // namespace

Result<Plan> makePlan(const PlanInput& input) {
  TIDEMARK_TRY(validate(input));
  if (input.policy == Policy::Unsharded) return unshardedPlan(input);
  const Schedule onDemand = layOutSchedule(input, 0);
  if (const Moment& moment = tightestMoment(onDemand); moment.freeBytes() < 0) return outOfMemory(moment);
  Plan best = planAtDepth(input, onDemand);
  for (int depth = 1; depth <= std::min(input.maxPrefetchDepth, onDemand.useCount() - 1); ++depth) {
    const Schedule schedule = layOutSchedule(input, depth);
    if (tightestMoment(schedule).freeBytes() < 0) break;  // a longer window needs no less
    Plan plan = planAtDepth(input, schedule);
    if (!isFaster(best, plan)) best = std::move(plan);
  }
  best.optimalRemoteBytes = optimumOf(onDemand);
  return best;
}

int64_t optimalRemoteBytes(const PlanInput& input) {
  if (input.policy == Policy::Unsharded || input.pieces.empty()) return 0;
  const Schedule schedule = layOutSchedule(input, 0);
  return tightestMoment(schedule).freeBytes() < 0 ? schedule.gatheredBytes() : optimumOf(schedule);
}

std::string planDigest(const Plan& plan) {
  std::string text = std::string(policyName(plan.policy)) + " depth " + std::to_string(plan.prefetchDepth) + " gathers " +
                     std::to_string(plan.remoteBytes) + " keeps";
  for (const PieceKeep& keep : plan.keeps)
    text += " " + std::to_string(keep.boundaryBytes) + "/" + std::to_string(keep.turnBytes);
  return text;
}

}  // namespace tidemark::memory
