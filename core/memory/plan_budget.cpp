#include "core/memory/plan_budget.h"

#include <fstream>
#include <string>

namespace tidemark::memory {
namespace {

// The rest is left to the system, the file cache and what the ledger does not see.
constexpr double kShare = 0.8;

}  // namespace

int64_t availableHostBytes() {
  std::ifstream file("/proc/meminfo");
  std::string key;
  int64_t kib = 0;
  while (file >> key >> kib) {
    if (key == "MemAvailable:") return kib * 1024;
    file.ignore(64, '\n');
  }
  return 0;
}

int64_t automaticBudgetBytes(int64_t freeBytes, int64_t ranks) {
  return static_cast<int64_t>(kShare * static_cast<double>(freeBytes / ranks));
}

}  // namespace tidemark::memory
