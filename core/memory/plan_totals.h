// How many bytes to keep over each kind of interval so that the fewest are gathered; not which pieces.
//
// Note: anchored keeps. Every moment holds a suffix of the boundary keeps and a prefix of the turn keeps. For given totals
// the suffixes are least when the shallowest pieces are kept, the prefixes when the deepest are, both at once; so totals
// p and q fit exactly if these anchored keeps do, and that is a handful of minima (design.md section 5.3). Forward-only
// pieces are held all the time except where they are whole anyway, which is a covering of short windows.
#pragma once

#include <vector>

#include "core/memory/plan_moments.h"

namespace tidemark::memory {

struct KeepTotals {
  int64_t forwardOnlyBytes = 0;  // over their only interval
  int64_t boundaryBytes = 0;     // of trained pieces
  int64_t turnBytes = 0;
  int64_t savedBytes() const { return forwardOnlyBytes + boundaryBytes + turnBytes; }
};

// The linear program's greatest saving; every moment must have freeBytes() >= 0.
double greatestSavedBytes(const Schedule& schedule);

// Totals that attain it (rounded down to whole bytes): one, or the ends and the middle of what may be traded for it.
std::vector<KeepTotals> bestTotals(const Schedule& schedule);

// The least keeps of forward-only pieces with which these totals fit. The totals must come from bestTotals.
std::vector<int64_t> leastForwardOnlyKeeps(const Schedule& schedule, const KeepTotals& totals);

}  // namespace tidemark::memory
