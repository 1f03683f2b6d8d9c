// Planner inputs for the tests of the memory plan.
#pragma once

#include <random>
#include <vector>

#include "core/memory/plan.h"

namespace tidemark::memory {

inline int64_t drawBetween(std::mt19937& random, int64_t least, int64_t most) {
  return least + static_cast<int64_t>(random() % static_cast<uint64_t>(most - least + 1));
}

// Equal pieces with room that falls evenly from `shallowCapacity` to `deepCapacity`.
inline PlanInput evenInput(int count, int64_t pieceBytes, int64_t shallowCapacity, int64_t deepCapacity) {
  PlanInput input;
  for (int i = 0; i < count; ++i) {
    PieceProfile piece;
    piece.remoteBytes = pieceBytes;
    piece.gatherSeconds = 0.002;
    piece.forwardSeconds = 0.001;
    piece.backwardSeconds = 0.002;
    piece.forwardCapacity = piece.backwardCapacity =
        count == 1 ? shallowCapacity : shallowCapacity + (deepCapacity - shallowCapacity) * i / (count - 1);
    input.pieces.push_back(piece);
  }
  input.turnCapacity = deepCapacity;
  input.boundaryCapacity = shallowCapacity;
  return input;
}

// Small whole sizes and capacities without any order, every piece fits by itself.
inline PlanInput smallRandomInput(std::mt19937& random, int count, int64_t mostBytes) {
  PlanInput input;
  int64_t all = 0, largest = 0;
  for (int i = 0; i < count; ++i) {
    PieceProfile piece;
    piece.remoteBytes = drawBetween(random, 0, mostBytes);
    piece.gatherSeconds = 0.001 * static_cast<double>(piece.remoteBytes);
    piece.forwardSeconds = 0.0005 * static_cast<double>(drawBetween(random, 1, 4));
    piece.backwardSeconds = 2 * piece.forwardSeconds;
    all += piece.remoteBytes;
    largest = std::max(largest, piece.remoteBytes);
    input.pieces.push_back(piece);
  }
  for (PieceProfile& piece : input.pieces) {
    piece.forwardCapacity = drawBetween(random, largest, all + 1);
    piece.backwardCapacity = drawBetween(random, largest, all + 1);
  }
  input.turnCapacity = drawBetween(random, 0, all + 1);
  input.boundaryCapacity = drawBetween(random, 0, all + 1);
  return input;
}

inline PlanInput scaled(PlanInput input, int64_t factor) {
  for (PieceProfile& piece : input.pieces) {
    piece.remoteBytes *= factor;
    piece.forwardCapacity *= factor;
    piece.backwardCapacity *= factor;
  }
  input.turnCapacity *= factor;
  input.boundaryCapacity *= factor;
  return input;
}

inline int cutPieces(const PlanInput& input, const Plan& plan) {
  int cut = 0;
  for (size_t i = 0; i < plan.keeps.size(); ++i)
    for (const int64_t kept : {plan.keeps[i].boundaryBytes, plan.keeps[i].turnBytes})
      cut += kept > 0 && kept < input.pieces[i].remoteBytes ? 1 : 0;
  return cut;
}

}  // namespace tidemark::memory
