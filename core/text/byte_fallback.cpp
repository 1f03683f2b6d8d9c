#include "core/text/byte_fallback.h"

#include "core/text/aligned_text.h"
#include "core/text/normalizer.h"

namespace tidemark::text {
namespace {

constexpr std::string_view kDigits = "0123456789ABCDEF";

int digitOf(char c) {
  if (c >= 'a' && c <= 'f') c = static_cast<char>(c - 'a' + 'A');
  const size_t found = kDigits.find(c);
  return found == std::string_view::npos ? -1 : static_cast<int>(found);
}

void appendBytes(const std::string& bytes, std::string& text) {
  if (isValidUtf8(bytes)) text += bytes;
  else
    for (size_t i = 0; i < bytes.size(); ++i) appendUtf8(text, 0xFFFD);
}

}  // namespace

std::string byteTokenText(uint8_t byte) { return std::string("<0x") + kDigits[byte >> 4] + kDigits[byte & 15] + ">"; }

std::optional<uint8_t> byteOfToken(std::string_view token) {
  if (token.size() != 6 || !token.starts_with("<0x") || token[5] != '>') return std::nullopt;
  const int high = digitOf(token[3]), low = digitOf(token[4]);
  if (high < 0 || low < 0) return std::nullopt;
  return static_cast<uint8_t>(high << 4 | low);
}

std::string joinWithBytes(const std::vector<std::string_view>& tokens) {
  std::string text, bytes;
  for (const std::string_view token : tokens) {
    if (const auto byte = byteOfToken(token)) {
      bytes += static_cast<char>(*byte);
      continue;
    }
    appendBytes(bytes, text);
    bytes.clear();
    text += marksToSpaces(token);
  }
  appendBytes(bytes, text);
  return text;
}

}  // namespace tidemark::text
