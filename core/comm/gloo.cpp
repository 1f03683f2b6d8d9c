#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>

#include "core/comm/backends.h"

namespace tidemark::comm {

c10::intrusive_ptr<c10d::Backend> makeGloo(const c10::intrusive_ptr<c10d::Store>& store, const ProcessInfo& info) {
  auto options = c10d::ProcessGroupGloo::Options::create(Communicator::kTimeout);
  const bool isLoopback = info.masterAddress == "127.0.0.1" || info.masterAddress == "localhost" || info.masterAddress == "::1";
  options->devices.push_back(isLoopback ? c10d::ProcessGroupGloo::createDeviceForHostname("127.0.0.1")
                                        : c10d::ProcessGroupGloo::createDefaultDevice());
  return c10::make_intrusive<c10d::ProcessGroupGloo>(store, info.rank, info.worldSize, options);
}

c10::intrusive_ptr<c10d::Backend> makeBackend(BackendKind kind, const c10::intrusive_ptr<c10d::Store>& store,
                                              const ProcessInfo& info, [[maybe_unused]] c10::Device device) {
  if (kind == BackendKind::Gloo) return makeGloo(store, info);
#ifdef TIDEMARK_CUDA
  return makeNccl(store, info, device);
#else
  throw std::runtime_error("this build has no NCCL; configure it with -DTIDEMARK_CUDA=ON, or set parallel.backend: gloo");
#endif
}

}  // namespace tidemark::comm
