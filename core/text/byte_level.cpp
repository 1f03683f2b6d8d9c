#include "core/text/byte_level.h"

#include <array>

#include "core/text/aligned_text.h"

namespace tidemark::text {
namespace {

// Printable Latin-1 characters stand for themselves, the other bytes for U+0100, U+0101, ... in order.
constexpr bool standsForItself(int byte) {
  return (byte >= '!' && byte <= '~') || (byte >= 0xA1 && byte <= 0xAC) || (byte >= 0xAE && byte <= 0xFF);
}

struct Tables {
  std::array<char32_t, 256> standIn{};
  std::array<int, 0x200> byte{};
  Tables() {
    byte.fill(-1);
    char32_t next = 0x100;
    for (int b = 0; b < 256; ++b) {
      standIn[static_cast<size_t>(b)] = standsForItself(b) ? static_cast<char32_t>(b) : next++;
      byte[standIn[static_cast<size_t>(b)]] = b;
    }
  }
};
const Tables& tables() {
  static const Tables instance;
  return instance;
}

}  // namespace

char32_t byteToStandIn(uint8_t byte) { return tables().standIn[byte]; }

std::optional<std::string> standInsToBytes(std::string_view token) {
  std::string bytes;
  while (!token.empty()) {
    const CodePoint next = nextCodePoint(token);
    if (next.value >= tables().byte.size() || tables().byte[next.value] < 0) return std::nullopt;
    bytes += static_cast<char>(tables().byte[next.value]);
    token.remove_prefix(next.length);
  }
  return bytes;
}

}  // namespace tidemark::text
