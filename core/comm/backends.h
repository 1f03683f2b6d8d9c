// Makes c10d backends; the only place that knows Gloo and NCCL by name.
#pragma once

#include <torch/csrc/distributed/c10d/Backend.hpp>
#include <torch/csrc/distributed/c10d/Store.hpp>

#include "core/comm/communicator.h"

namespace tidemark::comm {

// Throws std::runtime_error when the backend is not in this build, or cannot start.
c10::intrusive_ptr<c10d::Backend> makeBackend(BackendKind kind, const c10::intrusive_ptr<c10d::Store>& store,
                                              const ProcessInfo& info, c10::Device device);

c10::intrusive_ptr<c10d::Backend> makeGloo(const c10::intrusive_ptr<c10d::Store>& store, const ProcessInfo& info);
#ifdef TIDEMARK_CUDA
c10::intrusive_ptr<c10d::Backend> makeNccl(const c10::intrusive_ptr<c10d::Store>& store, const ProcessInfo& info,
                                           c10::Device device);
#endif

}  // namespace tidemark::comm
