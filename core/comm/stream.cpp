#include "core/comm/stream.h"

#include <c10/core/impl/VirtualGuardImpl.h>

namespace tidemark::comm {

void synchroniseStream(c10::Device device) {
  if (device.is_cpu()) return;
  const c10::impl::VirtualGuardImpl implementation(device.type());
  implementation.getStream(device).synchronize();
}

}  // namespace tidemark::comm
