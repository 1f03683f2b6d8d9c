// Which pieces are kept, for given totals: whole ones where possible, the misses spread along each pass by compute time.
#pragma once

#include <vector>

#include "core/memory/plan_moments.h"
#include "core/memory/plan_totals.h"

namespace tidemark::memory {

// Pieces in the order in which keeps are chosen.
struct SpreadTask {
  struct Item {
    int64_t bytes = 0;
    double gatherSeconds = 0;
    double computeSeconds = 0;  // of the pass whose misses this spreads
    int64_t keptBytes = 0;      // in: kept already; out: kept
    int64_t mostUpToHere = 0;   // bound on what this item and those before it keep together
  };
  std::vector<Item> items;
  int64_t totalBytes = 0;  // to keep in all; must fit under the bounds when the last items are kept first
};

// At most one item is cut besides those that were.
void spreadKeeps(SpreadTask& task);

enum class SpreadFirst { Boundary, Turn };  // which set takes its even spread from the free bytes first

std::vector<PieceKeep> placeKeeps(const PlanInput& input, const Schedule& schedule, const KeepTotals& totals,
                                  SpreadFirst first);

// The policy Pinned: one constant set, whole pieces but for one.
std::vector<PieceKeep> placePinned(const PlanInput& input, const Schedule& schedule);

}  // namespace tidemark::memory
