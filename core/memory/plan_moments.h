// The moments of one iteration at which memory binds, each with its free bytes and the keeps held then; no decisions.
#pragma once

#include <cstdint>
#include <vector>

#include "core/memory/plan.h"

namespace tidemark::memory {

// Pieces [begin, end).
struct PieceRange {
  int begin = 0;
  int end = 0;
  bool isEmpty() const { return begin >= end; }
};

// Forward-only pieces are the first ones; the others, with a backward, are called trained here.
struct Moment {
  enum class Kind { Forward, Turn, Backward, Boundary };
  Kind kind = Kind::Forward;
  int piece = 0;              // in use; not meaningful at turn and boundary
  int64_t capacityBytes = 0;
  int64_t wholeBytes = 0;     // of the pieces in use or gathered ahead
  PieceRange wholeForwardOnly;  // their keeps do not count besides. If they are not contiguous, a part of them: safe
  PieceRange wholeTrained;
  int boundaryFrom = 0;       // boundary keeps of trained pieces from here on are held
  int turnUntil = 0;          // turn keeps of trained pieces before this one are held
  int64_t freeBytes() const { return capacityBytes - wholeBytes; }
};

// One iteration at a given depth. Uses are numbered 0..useCount-1: forward shallow to deep, then backward deep to shallow.
struct Schedule {
  int pieceCount = 0;
  int forwardOnlyCount = 0;
  int prefetchDepth = 0;
  std::vector<int64_t> startBytes;  // prefix sums of remote bytes, pieceCount + 1 of them
  std::vector<Moment> moments;

  int useCount() const { return 2 * pieceCount - forwardOnlyCount; }
  int pieceOfUse(int use) const { return use < pieceCount ? use : 2 * pieceCount - 1 - use; }
  int64_t bytesOf(int piece) const { return startBytes[piece + 1] - startBytes[piece]; }
  int64_t bytesIn(PieceRange range) const { return range.isEmpty() ? 0 : startBytes[range.end] - startBytes[range.begin]; }
  int64_t forwardOnlyBytes() const { return startBytes[forwardOnlyCount]; }
  int64_t trainedBytes() const { return startBytes[pieceCount] - forwardOnlyBytes(); }
  // Gathered per iteration when nothing is kept.
  int64_t gatheredBytes() const { return forwardOnlyBytes() + 2 * trainedBytes(); }
};

// The input must have been validated; prefetchDepth is below the count of uses.
Schedule layOutSchedule(const PlanInput& input, int prefetchDepth);

// The moment at which the pieces in use, and those gathered ahead, miss room by most.
const Moment& tightestMoment(const Schedule& schedule);

}  // namespace tidemark::memory
