#include "core/fit/machine.h"

#include <filesystem>

namespace tidemark::fit {
namespace {

// About the ratio of computing to gathering on a machine with two processor ranks, and of a GPU behind 25 GbE.
constexpr double kNominalOperations = 1e11, kNominalBytes = 1e9;

}  // namespace

const char* originName(Origin origin) {
  switch (origin) {
    case Origin::Unknown: return "unknown";
    case Origin::Assumed: return "assumed";
    case Origin::Given: return "given";
    case Origin::Measured: return "measured";
  }
  return "";
}

bool usesHostMemory(const run::RunConfig& config) {
  std::error_code ignored;
  const bool hasAccelerator = std::filesystem::exists("/dev/nvidiactl", ignored);
  return config.parallel.device == "cpu" || (config.parallel.device == "auto" && !hasAccelerator);
}

Machine Machine::withNominalSpeed() const {
  Machine machine = *this;
  if (!machine.operationsPerSecond.isKnown()) machine.operationsPerSecond = {kNominalOperations, Origin::Assumed};
  if (!machine.bytesPerSecond.isKnown()) machine.bytesPerSecond = {kNominalBytes, Origin::Assumed};
  return machine;
}

}  // namespace tidemark::fit
