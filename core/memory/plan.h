// The memory plan: which frozen pieces stay over which interval, so that the least gather time is exposed within the
// budget. Pure arithmetic on measured figures; no tensors. The same input gives the same plan on every rank.
//
// Note: moments. Pieces (one per operator with frozen weights) are used 0..L-1 in forward, then L-1..0 in backward.
// While piece k is in use in forward, the boundary keeps of deeper pieces and the turn keeps of shallower ones are held:
//   forward k:   use(k) + sum_{j>k} boundary(j) + sum_{j<k} turn(j)  <= forwardCapacity(k)
//   backward k:  use(k) + sum_{j>k} boundary(j) + sum_{j<k} turn(j)  <= backwardCapacity(k)
// where with prefetchDepth d the next d pieces in the direction of travel count as whole, as piece k does.
// At the turn (loss head): sum_j turn(j) <= turnCapacity; between iterations: sum_j boundary(j) <= boundaryCapacity.
// The window of d pieces crosses turn and boundary, and counts as whole there too.
// Forward-only pieces (hasBackward false) are the first ones. Such a piece has one interval, from its forward to its next
// forward: boundary and turn both state it, so that the sums above hold, and it is gathered once an iteration.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace tidemark::memory {

struct PieceProfile {
  int64_t remoteBytes = 0;          // other ranks' rows of this piece (largest over ranks)
  double gatherSeconds = 0;         // of all its remote bytes
  double forwardSeconds = 0;        // computing, without waiting
  double backwardSeconds = 0;
  int64_t forwardCapacity = 0;      // bytes for remote weights while it runs, those in use included
  int64_t backwardCapacity = 0;
  bool hasBackward = true;          // false below the lowest adapter
};

enum class Policy { Elastic, Pinned, GatherAlways, Unsharded };

struct PlanInput {
  Policy policy = Policy::Elastic;
  std::vector<PieceProfile> pieces;
  int64_t turnCapacity = 0;
  int64_t boundaryCapacity = 0;
  int maxPrefetchDepth = 2;         // pieces gathered ahead of use; the planner takes the most that fits and pays
};

struct PieceKeep {
  int64_t boundaryBytes = 0;        // kept from its backward to its next forward, 0..remoteBytes
  int64_t turnBytes = 0;            // kept from its forward to its backward; equals boundaryBytes if forward-only
};

struct Plan {
  Policy policy = Policy::Elastic;
  int prefetchDepth = 0;
  std::vector<PieceKeep> keeps;     // one per piece
  int64_t remoteBytes = 0;          // gathered per iteration under this plan: sum of 2 remoteBytes - boundary - turn,
                                    // and of remoteBytes - boundary for forward-only pieces
  int64_t optimalRemoteBytes = 0;   // Q: the least that any plan gathers under these capacities (prefetchDepth 0)
  double predictedSeconds = 0;      // of one iteration, from the profile: compute, and gathers that it does not hide
  double exposedSeconds = 0;        // the part of predictedSeconds that waits for gathers
};

// OutOfMemory when not even gathering each piece for its own use fits; the error says which piece and by how much.
Result<Plan> makePlan(const PlanInput& input);

// Q of design.md section 5.3 for these capacities, pieces kept in part: the least traffic of one iteration, rounded up.
// Everything, if the pieces do not even fit one by one. The input must be one that makePlan does not call invalid.
int64_t optimalRemoteBytes(const PlanInput& input);

// Time of one iteration by replaying it: gathers in order of need on one channel, ahead of use by the plan's depth.
double simulateSeconds(const PlanInput& input, const Plan& plan, double* exposedSeconds);

// Whether a plan holds every capacity; the reason if not. Used by tests and as a check before execution.
Status checkPlan(const PlanInput& input, const Plan& plan);

// Stable text of the decisions, for comparing digests between ranks.
std::string planDigest(const Plan& plan);

}  // namespace tidemark::memory
