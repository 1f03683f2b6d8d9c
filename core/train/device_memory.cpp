#include "core/train/device_memory.h"

#include <unistd.h>

#include <fstream>

#include "core/memory/plan_budget.h"

#ifdef TIDEMARK_CUDA
#include <cuda_runtime_api.h>
#endif

namespace tidemark::train {

#ifdef TIDEMARK_CUDA
int acceleratorCount() {
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess ? count : 0;
}

int64_t acceleratorFreeBytes(c10::Device device) {
  size_t free = 0, total = 0;
  if (cudaSetDevice(device.index()) != cudaSuccess || cudaMemGetInfo(&free, &total) != cudaSuccess) return 0;
  return static_cast<int64_t>(free);
}
#else
int acceleratorCount() { return 0; }
int64_t acceleratorFreeBytes(c10::Device) { return 0; }
#endif

int64_t freeBytesOf(c10::Device device) {
  return device.is_cpu() ? memory::availableHostBytes() : acceleratorFreeBytes(device);
}

int64_t residentBytes() {
  std::ifstream file("/proc/self/statm");
  int64_t pages = 0, resident = 0;
  file >> pages >> resident;
  return resident * ::sysconf(_SC_PAGESIZE);
}

}  // namespace tidemark::train
