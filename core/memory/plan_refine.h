// Betters the time of a plan at unchanged traffic: moves keeps to pieces whose gathers are waited for. A bounded local search.
#pragma once

#include <vector>

#include "core/memory/plan_moments.h"

namespace tidemark::memory {

// The keeps must fit the schedule; they still do afterwards, save as many bytes, and cut no more pieces.
void refineKeeps(const PlanInput& input, const Schedule& schedule, std::vector<PieceKeep>& keeps);

}  // namespace tidemark::memory
