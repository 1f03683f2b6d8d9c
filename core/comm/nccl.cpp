#include <torch/csrc/distributed/c10d/ProcessGroupNCCL.hpp>

#include "core/comm/backends.h"

namespace tidemark::comm {

c10::intrusive_ptr<c10d::Backend> makeNccl(const c10::intrusive_ptr<c10d::Store>& store, const ProcessInfo& info,
                                           c10::Device device) {
  auto options = c10d::ProcessGroupNCCL::Options::create();
  options->timeout = Communicator::kTimeout;
  auto backend = c10::make_intrusive<c10d::ProcessGroupNCCL>(store, info.rank, info.worldSize, options);
  backend->setBoundDeviceId(device);
  return backend;
}

}  // namespace tidemark::comm
