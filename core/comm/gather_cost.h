// What gathers of weights cost on this machine, measured between two ranks that are threads of this process.
#pragma once

namespace tidemark::comm {

struct GatherCost {
  double bytesPerSecond = 0;           // that one rank receives, with nothing beside it
  double processorSecondsPerByte = 0;  // of all processors together, for each byte that a rank receives
};

// Gloo over the loopback device, pieces of 4 MiB; blocks for about half a second. Throws std::runtime_error like the
// collectives themselves.
GatherCost measureGatherCost();

}  // namespace tidemark::comm
