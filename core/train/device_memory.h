// What there is of accelerators and their memory; nothing of it where the build has no CUDA.
#pragma once

#include <c10/core/Device.h>

#include <cstdint>

namespace tidemark::train {

int acceleratorCount();
int64_t acceleratorFreeBytes(c10::Device device);
// Of the device, or of the machine for its processors; 0 where it cannot be told.
int64_t freeBytesOf(c10::Device device);
// Resident bytes of this process (VmRSS).
int64_t residentBytes();

}  // namespace tidemark::train
