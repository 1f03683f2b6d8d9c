// What a rank measured of an iteration, made the same on all ranks, and as the planner takes it.
#pragma once

#include <vector>

#include "core/comm/communicator.h"
#include "core/memory/figures.h"
#include "core/memory/parameter_store.h"

namespace tidemark::memory {

// The greatest figure of all ranks, in place: the plan must be the same everywhere.
void reduceOverRanks(IterationFigures& figures, comm::Communicator& communicator);

// The store's pieces. `hasBackward[i]`: whether piece i's operator runs backward.
PieceFacts piecesOf(const ParameterStore& store, std::vector<bool> hasBackward);
// What the store will hold under the keeps that it was given: whole slots.
std::vector<PieceKeep> keepsOf(const ParameterStore& store);

}  // namespace tidemark::memory
