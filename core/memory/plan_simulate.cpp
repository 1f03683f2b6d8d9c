// Replays iterations under a plan, with one gather channel that serves the uses in their order.
#include <algorithm>
#include <vector>

#include "core/memory/plan.h"

namespace tidemark::memory {
namespace {

struct Use {
  double computeSeconds = 0;
  double gatherSeconds = 0;
  bool isMiss = false;
};

Use useOf(const PieceProfile& piece, double computeSeconds, int64_t keptBytes) {
  const int64_t missing = piece.remoteBytes - keptBytes;
  if (missing <= 0) return {computeSeconds, 0, false};
  const double part = static_cast<double>(missing) / static_cast<double>(piece.remoteBytes);
  return {computeSeconds, piece.gatherSeconds * part, true};
}

std::vector<Use> usesOf(const PlanInput& input, const Plan& plan) {
  std::vector<Use> uses;
  const size_t count = input.pieces.size();
  for (size_t i = 0; i < count; ++i)
    uses.push_back(useOf(input.pieces[i], input.pieces[i].forwardSeconds, plan.keeps[i].boundaryBytes));
  for (size_t i = count; i-- > 0;)
    if (input.pieces[i].hasBackward)
      uses.push_back(useOf(input.pieces[i], input.pieces[i].backwardSeconds, plan.keeps[i].turnBytes));
  return uses;
}

}  // namespace

double simulateSeconds(const PlanInput& input, const Plan& plan, double* exposedSeconds) {
  constexpr int kWarmUps = 2;  // until what one iteration gathers for the next has settled
  const std::vector<Use> uses = usesOf(input, plan);
  const size_t depth = static_cast<size_t>(std::max(0, plan.prefetchDepth));
  double compute = 0;
  for (const Use& use : uses) compute += use.computeSeconds;
  // reached[i % size]: when the use i became the current one; its window of further uses opens then.
  std::vector<double> reached(depth + 1, 0.0);
  double now = 0, channelFree = 0, began = 0;
  size_t index = 0;
  for (int iteration = 0; iteration <= kWarmUps; ++iteration) {
    began = now;
    for (const Use& use : uses) {
      reached[index % (depth + 1)] = now;
      if (use.isMiss) {
        const double opened = index < depth ? 0.0 : reached[(index - depth) % (depth + 1)];
        channelFree = std::max(channelFree, opened) + use.gatherSeconds;
        now = std::max(now, channelFree);
      }
      now += use.computeSeconds;
      ++index;
    }
  }
  const double seconds = now - began;
  if (exposedSeconds != nullptr) *exposedSeconds = std::max(0.0, seconds - compute);
  return seconds;
}

}  // namespace tidemark::memory
