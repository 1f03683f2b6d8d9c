// Byte amounts as people write and read them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace tidemark {

// "1.15 GiB", "155 MiB", "512 B": three significant digits, binary units.
std::string formatBytes(int64_t bytes);

// Accepts "1.5GiB", "900 MiB", "2GB", "123456" (bytes); units K/M/G/T with optional i and B, any case.
Result<int64_t> parseBytes(std::string_view text);

// "9 min 5 s", "1 h 20 min", "0.42 s".
std::string formatDuration(double seconds);

}  // namespace tidemark
