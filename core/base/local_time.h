// Moments as people read them.
#pragma once

#include <string>

namespace tidemark {

// "2026-01-31 13:05:09" in local time; "-" for a moment that is not known (0).
std::string localTime(double secondsSinceEpoch);

}  // namespace tidemark
