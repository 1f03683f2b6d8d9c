#include "core/report/html_text.h"

#include <cmath>
#include <cstdio>

#include "core/base/bytes.h"

namespace tidemark::report {

std::string escape(std::string_view text) {
  std::string escaped;
  escaped.reserve(text.size());
  for (const char c : text) {
    switch (c) {
      case '&': escaped += "&amp;"; break;
      case '<': escaped += "&lt;"; break;
      case '>': escaped += "&gt;"; break;
      case '"': escaped += "&quot;"; break;
      case '\'': escaped += "&#39;"; break;
      default: escaped += static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t' ? ' ' : c;
    }
  }
  return escaped;
}

std::string fixed(double value, int digits) {
  if (!std::isfinite(value)) return "-";
  char buffer[400];
  std::snprintf(buffer, sizeof buffer, "%.*f", digits, value);
  return buffer;
}

std::string grouped(int64_t value) {
  std::string digits = std::to_string(value < 0 ? -value : value);
  for (auto i = static_cast<int64_t>(digits.size()) - 3; i > 0; i -= 3) digits.insert(static_cast<size_t>(i), "\u202F");
  return (value < 0 ? "-" : "") + digits;
}

std::string percent(double fraction) {
  const double value = fraction * 100;
  return fixed(value, std::abs(value) < 10 && value != 0 ? 1 : 0) + "\u00A0%";
}

std::string seconds(double value) {
  if (!std::isfinite(value)) return "-";
  if (value != 0 && std::abs(value) < 0.001) return fixed(value * 1e6, 0) + "\u00A0µs";
  if (value != 0 && std::abs(value) < 1) return fixed(value * 1e3, std::abs(value) < 0.1 ? 2 : 0) + "\u00A0ms";
  return value < 60 ? fixed(value, 2) + "\u00A0s" : formatDuration(value);
}

std::string difference(double measured, double predicted) {
  if (predicted == 0) return measured == 0 ? "none" : "-";
  const double value = (measured - predicted) / predicted * 100;
  return (value >= 0 ? "+" : "") + fixed(value, 1) + "\u00A0%";
}

}  // namespace tidemark::report
