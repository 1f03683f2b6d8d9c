// What a budget of `auto` stands for: a part of the memory that is free when a run starts.
#pragma once

#include <cstdint>

namespace tidemark::memory {

// Bytes that the machine can give to new processes without swapping; 0 where it does not say.
int64_t availableHostBytes();

// For each of `ranks` that share `freeBytes`.
int64_t automaticBudgetBytes(int64_t freeBytes, int64_t ranks);

}  // namespace tidemark::memory
