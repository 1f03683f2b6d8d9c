#include "core/base/printable.h"

#include <algorithm>
#include <cstdint>

namespace tidemark {
namespace {

// Length of the UTF-8 sequence that starts at `index`, 0 if it is none (overlong forms and surrogates included).
size_t sequenceLength(const std::string& text, size_t index) {
  const auto byte = [&](size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  const unsigned first = byte(index), second = byte(index + 1);
  const auto continues = [&](size_t i) { return (byte(i) & 0xC0u) == 0x80u; };
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return continues(index + 1) ? 2 : 0;
  if (first >= 0xE0 && first <= 0xEF) {
    const bool isValid = !(first == 0xE0 && second < 0xA0) && !(first == 0xED && second > 0x9F);
    return isValid && continues(index + 1) && continues(index + 2) ? 3 : 0;
  }
  if (first >= 0xF0 && first <= 0xF4) {
    const bool isValid = !(first == 0xF0 && second < 0x90) && !(first == 0xF4 && second > 0x8F);
    return isValid && continues(index + 1) && continues(index + 2) && continues(index + 3) ? 4 : 0;
  }
  return 0;
}

// The code point of a valid sequence of `length` bytes.
uint32_t codePointAt(const std::string& text, size_t index, size_t length) {
  const auto byte = [&](size_t i) { return static_cast<uint32_t>(static_cast<unsigned char>(text[i])); };
  if (length == 1) return byte(index);
  uint32_t point = byte(index) & (0x7Fu >> length);
  for (size_t i = 1; i < length; ++i) point = point << 6 | (byte(index + i) & 0x3Fu);
  return point;
}

bool isControl(uint32_t point) {
  if (point == '\n' || point == '\t') return false;
  const bool isSeparator = point == 0x2028 || point == 0x2029;
  const bool isDirection = (point >= 0x202A && point <= 0x202E) || (point >= 0x2066 && point <= 0x2069) || point == 0x061C;
  return point < 0x20 || (point >= 0x7F && point < 0xA0) || isSeparator || isDirection || point == 0xFEFF;
}

}  // namespace

std::string printable(const std::string& text) {
  std::string result;
  result.reserve(text.size());
  for (size_t i = 0; i < text.size();) {
    const size_t length = sequenceLength(text, i);
    if (length == 0) result += '?';
    else if (isControl(codePointAt(text, i, length))) result += ' ';
    else result.append(text, i, length);
    i += std::max<size_t>(length, 1);
  }
  return result;
}

std::string oneLine(const std::string& text) {
  std::string line = printable(text);
  std::replace_if(line.begin(), line.end(), [](char c) { return c == '\n' || c == '\t'; }, ' ');
  return line;
}

}  // namespace tidemark
