#include "core/memory/plan_replay.h"

#include <algorithm>

namespace tidemark::memory {

Replay::Replay(const PlanInput& input, int prefetchDepth) : reached_(static_cast<size_t>(std::max(0, prefetchDepth)) + 1) {
  const auto add = [&](size_t piece, double compute) {
    uses_.push_back({compute, input.pieces[piece].gatherSeconds, input.pieces[piece].remoteBytes});
    pieceOf_.push_back(piece);
    computeSeconds_ += compute;
  };
  for (size_t i = 0; i < input.pieces.size(); ++i) add(i, input.pieces[i].forwardSeconds);
  for (size_t i = input.pieces.size(); i-- > 0;)
    if (input.pieces[i].hasBackward) add(i, input.pieces[i].backwardSeconds);
  waits_.resize(uses_.size());
  for (size_t use = 0; use < uses_.size(); ++use) setKept(static_cast<int>(use), 0);
}

void Replay::setKept(int use, int64_t keptBytes) {
  Use& one = uses_[static_cast<size_t>(use)];
  const int64_t missing = one.remoteBytes - keptBytes;
  one.isMiss = missing > 0;
  one.gatherSeconds =
      one.isMiss ? one.wholeGatherSeconds * static_cast<double>(missing) / static_cast<double>(one.remoteBytes) : 0.0;
}

void Replay::setKeeps(const std::vector<PieceKeep>& keeps) {
  for (size_t use = 0; use < uses_.size(); ++use) {
    const PieceKeep& keep = keeps[pieceOf_[use]];
    setKept(static_cast<int>(use), use < keeps.size() ? keep.boundaryBytes : keep.turnBytes);
  }
}

double Replay::seconds() {
  constexpr int kWarmUps = 2;  // until what one iteration gathers for the next has settled
  // reached_[i]: when the uses came up, the latest depth + 1 of them; a use's window opens with the one depth before it.
  const size_t slots = reached_.size();
  std::fill(reached_.begin(), reached_.end(), 0.0);
  double now = 0, channelFree = 0, began = 0;
  size_t slot = 0;
  for (int iteration = 0; iteration <= kWarmUps; ++iteration) {
    began = now;
    for (size_t use = 0; use < uses_.size(); ++use) {
      reached_[slot] = now;
      slot = slot + 1 == slots ? 0 : slot + 1;  // now the oldest of them: depth uses ago
      waits_[use] = 0;
      if (uses_[use].isMiss) {
        channelFree = std::max(channelFree, reached_[slot]) + uses_[use].gatherSeconds;
        waits_[use] = std::max(0.0, channelFree - now);
        now += waits_[use];
      }
      now += uses_[use].computeSeconds;
    }
  }
  return now - began;
}

double simulateSeconds(const PlanInput& input, const Plan& plan, double* exposedSeconds) {
  Replay replay(input, plan.prefetchDepth);
  replay.setKeeps(plan.keeps);
  const double seconds = replay.seconds();
  if (exposedSeconds != nullptr) *exposedSeconds = std::max(0.0, seconds - replay.computeSeconds());
  return seconds;
}

}  // namespace tidemark::memory
