// Waiting for what a device was asked to do; a processor is always done.
#pragma once

#include <c10/core/Device.h>

namespace tidemark::comm {

// Blocks until the calling thread's present stream of `device` has run everything given to it. Other streams, for
// instance those on which NCCL gathers, go on.
void synchroniseStream(c10::Device device);

}  // namespace tidemark::comm
