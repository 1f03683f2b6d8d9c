// What the devices of the ranks and the links between them can do, for predictions of speed. Says where each number is from.
#pragma once

#include <cstdint>
#include <string>

#include "core/run/config.h"

namespace tidemark::fit {

enum class Origin { Unknown, Assumed, Given, Measured };
const char* originName(Origin origin);  // "unknown", "assumed", "given", "measured"

struct Figure {
  double value = 0;
  Origin origin = Origin::Unknown;
  bool isKnown() const { return origin != Origin::Unknown; }
};

struct Machine {
  int64_t memoryBytes = 0;                        // that one rank may have when the budget is auto; 0: unknown
  Figure operationsPerSecond;                     // floating-point, of one rank, in float32
  // The part of it that products of the size of a layer reach.
  Figure efficiency{0.5, Origin::Assumed};
  Figure bytesPerSecond;                          // that one rank receives while weights are gathered
  // Of one message: a piece is gathered with one from each other rank.
  Figure latencySeconds{20e-6, Origin::Assumed};
  // Decoding one element of an encoded weight takes as long as this many operations: 70 to 110 measured on x86 processors.
  Figure decodeOperations{100, Origin::Assumed};
  // Ranks that share processors: gathers take time from what computes. 0 processors: other hardware carries them.
  double processorSecondsPerByte = 0;
  int processors = 0;

  bool hasSpeed() const { return operationsPerSecond.isKnown() && bytesPerSecond.isKnown(); }
  // The same, with nominal numbers for what is unknown: good for comparing choices with each other, not for telling times.
  Machine withNominalSpeed() const;
};

// Whether the ranks will use the memory of this machine itself. What an accelerator has free only the engine can ask.
bool usesHostMemory(const run::RunConfig& config);

}  // namespace tidemark::fit
