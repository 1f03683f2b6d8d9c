// Checks a plan moment by moment from what each piece holds then; shares no code with what makes plans.
#include <algorithm>
#include <string>
#include <vector>

#include "core/base/bytes.h"
#include "core/memory/plan.h"

namespace tidemark::memory {
namespace {

std::string pieceName(size_t piece) { return "piece " + std::to_string(piece); }

Status checkAmounts(const PlanInput& input, const Plan& plan) {
  const auto wrong = [](std::string subject, std::string detail) {
    return Error{ErrorCode::InvalidInput, std::move(subject), std::move(detail)};
  };
  if (plan.policy != input.policy) return wrong("plan", "is for another policy");
  if (plan.keeps.size() != input.pieces.size())
    return wrong("plan", "is for " + std::to_string(plan.keeps.size()) + " pieces, not " + std::to_string(input.pieces.size()));
  if (plan.prefetchDepth < 0 || plan.prefetchDepth > std::max(0, input.maxPrefetchDepth))
    return wrong("plan", "gathers " + std::to_string(plan.prefetchDepth) + " pieces ahead");
  int64_t gathered = 0;
  for (size_t i = 0; i < plan.keeps.size(); ++i) {
    const PieceKeep& keep = plan.keeps[i];
    const int64_t remote = input.pieces[i].remoteBytes;
    const bool isConstant = keep.boundaryBytes == keep.turnBytes;
    if (keep.boundaryBytes < 0 || keep.boundaryBytes > remote || keep.turnBytes < 0 || keep.turnBytes > remote)
      return wrong(pieceName(i), "keeps more than it has, or less than nothing");
    if (!isConstant && (!input.pieces[i].hasBackward || plan.policy == Policy::Pinned))
      return wrong(pieceName(i), "must be kept alike over turn and boundary");
    if (plan.policy == Policy::GatherAlways && keep.boundaryBytes + keep.turnBytes > 0)
      return wrong(pieceName(i), "is kept although everything is to be gathered");
    if (plan.policy == Policy::Unsharded && (!isConstant || keep.turnBytes != remote))
      return wrong(pieceName(i), "is not kept although nothing is sharded");
    gathered += remote - keep.boundaryBytes;
    if (input.pieces[i].hasBackward) gathered += remote - keep.turnBytes;
  }
  if (gathered != plan.remoteBytes) return wrong("plan", "states another amount to gather than its keeps leave");
  return {};
}

// Walks through one iteration and holds the bytes of every piece at each moment against the capacity then.
class Walk {
 public:
  Walk(const PlanInput& input, const Plan& plan) : input_(input), plan_(plan), held_(input.pieces.size()) {
    for (size_t i = 0; i < held_.size(); ++i) {
      uses_.push_back(i);
      held_[i] = plan.keeps[i].boundaryBytes;
    }
    for (size_t i = held_.size(); i-- > 0;)
      if (input.pieces[i].hasBackward) uses_.push_back(i);
  }

  Status run() {
    const size_t count = input_.pieces.size();
    const size_t ahead = static_cast<size_t>(plan_.prefetchDepth);
    TIDEMARK_TRY(checkAt("between iterations", 0, ahead, input_.boundaryCapacity));
    for (size_t use = 0; use < uses_.size(); ++use) {
      const size_t piece = uses_[use];
      const PieceProfile& profile = input_.pieces[piece];
      const bool isForward = use < count;
      if (use == count) TIDEMARK_TRY(checkAt("at the turn", use, ahead, input_.turnCapacity));
      TIDEMARK_TRY(checkAt(pieceName(piece) + (isForward ? " in forward" : " in backward"), use, ahead + 1,
                           isForward ? profile.forwardCapacity : profile.backwardCapacity));
      held_[piece] = isForward ? plan_.keeps[piece].turnBytes : plan_.keeps[piece].boundaryBytes;
    }
    if (uses_.size() == count) TIDEMARK_TRY(checkAt("at the turn", 0, ahead, input_.turnCapacity));
    return {};
  }

 private:
  // `whole` uses from `use` on are in memory entirely, into the next iteration if need be.
  Status checkAt(const std::string& moment, size_t use, size_t whole, int64_t capacity) const {
    std::vector<int64_t> bytes = held_;
    for (size_t i = 0; i < whole; ++i) {
      const size_t piece = uses_[(use + i) % uses_.size()];
      bytes[piece] = input_.pieces[piece].remoteBytes;
    }
    int64_t total = 0;
    for (const int64_t part : bytes) total += part;
    if (total <= capacity) return {};
    return Error{ErrorCode::OutOfMemory, moment,
                 "the plan holds " + std::to_string(total) + " B (" + formatBytes(total) + ") of remote weights, " +
                     std::to_string(capacity) + " B (" + formatBytes(capacity) + ") are free"};
  }

  const PlanInput& input_;
  const Plan& plan_;
  std::vector<int64_t> held_;
  std::vector<size_t> uses_;
};

}  // namespace

Status checkPlan(const PlanInput& input, const Plan& plan) {
  TIDEMARK_TRY(checkAmounts(input, plan));
  if (plan.policy == Policy::Unsharded) return {};  // remote weights exist on paper alone; the budget is the engine's
  return Walk(input, plan).run();
}

}  // namespace tidemark::memory
