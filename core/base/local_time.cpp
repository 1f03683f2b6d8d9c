#include "core/base/local_time.h"

#include <ctime>

namespace tidemark {

std::string localTime(double secondsSinceEpoch) {
  const auto time = static_cast<std::time_t>(secondsSinceEpoch);
  std::tm parts{};
  char buffer[32];
  if (secondsSinceEpoch <= 0 || !::localtime_r(&time, &parts)) return "-";
  std::strftime(buffer, sizeof buffer, "%Y-%m-%d %H:%M:%S", &parts);
  return buffer;
}

}  // namespace tidemark
