#include "core/base/bytes.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>

namespace tidemark {

std::string formatBytes(int64_t bytes) {
  static constexpr std::array<const char*, 5> kUnits{"B", "KiB", "MiB", "GiB", "TiB"};
  double amount = static_cast<double>(bytes);
  size_t unit = 0;
  while (std::abs(amount) >= 999.5 && unit + 1 < kUnits.size()) {
    amount /= 1024;
    ++unit;
  }
  const double size = std::abs(amount);
  const int decimals = unit == 0 || size >= 99.95 ? 0 : size >= 9.995 ? 1 : 2;
  char text[48];
  std::snprintf(text, sizeof text, "%.*f %s", decimals, amount, kUnits[unit]);
  return text;
}

Result<int64_t> parseBytes(std::string_view text) {
  const Error bad{ErrorCode::InvalidConfig, std::string(text),
                  "is not an amount of bytes; write for instance 1.5GiB, 900MiB or 123456789"};
  double amount = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), amount);
  if (status != std::errc() || !std::isfinite(amount) || amount < 0) return bad;
  std::string unit;
  for (const char c : text.substr(static_cast<size_t>(end - text.data())))
    if (c != ' ') unit += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  double factor = 1;
  if (!unit.empty() && unit != "b") {
    static constexpr std::string_view kPrefixes = "kmgt";
    const size_t power = kPrefixes.find(unit[0]);
    if (power == std::string_view::npos) return bad;
    const std::string rest = unit.substr(1);
    if (rest != "" && rest != "b" && rest != "i" && rest != "ib") return bad;
    factor = std::pow(rest.starts_with('i') || rest.empty() ? 1024.0 : 1000.0, static_cast<double>(power + 1));
  }
  const double bytes = amount * factor;
  if (bytes > 9.0e18) return bad;
  return static_cast<int64_t>(std::llround(bytes));
}

std::string formatDuration(double seconds) {
  char text[48];
  if (seconds < 10) {
    std::snprintf(text, sizeof text, "%.2g s", seconds);
  } else if (seconds < 60) {
    std::snprintf(text, sizeof text, "%.0f s", seconds);
  } else if (seconds < 3600) {
    const int whole = static_cast<int>(std::lround(seconds));
    std::snprintf(text, sizeof text, "%d min %d s", whole / 60, whole % 60);
  } else {
    const long minutes = std::lround(seconds / 60);
    std::snprintf(text, sizeof text, "%ld h %ld min", minutes / 60, minutes % 60);
  }
  return text;
}

}  // namespace tidemark
