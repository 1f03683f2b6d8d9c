#include "core/text/aligned_text.h"

#include <cstring>

namespace tidemark::text {
namespace {

constexpr char32_t kReplacement = 0xFFFD;

// The range that the second byte must lie in (Unicode 15, table 3-7); the others are 80..BF.
struct Lead {
  uint32_t length;
  uint8_t low, high;
};
Lead describeLead(uint8_t byte) {
  if (byte >= 0xC2 && byte <= 0xDF) return {2, 0x80, 0xBF};
  if (byte == 0xE0) return {3, 0xA0, 0xBF};
  if (byte == 0xED) return {3, 0x80, 0x9F};
  if (byte >= 0xE1 && byte <= 0xEF) return {3, 0x80, 0xBF};
  if (byte == 0xF0) return {4, 0x90, 0xBF};
  if (byte >= 0xF1 && byte <= 0xF3) return {4, 0x80, 0xBF};
  if (byte == 0xF4) return {4, 0x80, 0x8F};
  return {0, 0, 0};
}

}  // namespace

CodePoint nextCodePoint(std::string_view text) {
  const auto first = static_cast<uint8_t>(text[0]);
  if (first < 0x80) return {first, 1, true};
  const Lead lead = describeLead(first);
  if (lead.length == 0) return {kReplacement, 1, false};
  char32_t value = first & (0xFFu >> (lead.length + 1));
  for (uint32_t i = 1; i < lead.length; ++i) {
    if (i >= text.size()) return {kReplacement, i, false};
    const auto byte = static_cast<uint8_t>(text[i]);
    const bool fits = i == 1 ? byte >= lead.low && byte <= lead.high : byte >= 0x80 && byte <= 0xBF;
    if (!fits) return {kReplacement, i, false};
    value = value << 6 | (byte & 0x3F);
  }
  return {value, lead.length, true};
}

void appendUtf8(std::string& text, char32_t c) {
  if (c < 0x80) {
    text += static_cast<char>(c);
  } else if (c < 0x800) {
    text += static_cast<char>(0xC0 | c >> 6);
    text += static_cast<char>(0x80 | (c & 0x3F));
  } else if (c < 0x10000) {
    text += static_cast<char>(0xE0 | c >> 12);
    text += static_cast<char>(0x80 | (c >> 6 & 0x3F));
    text += static_cast<char>(0x80 | (c & 0x3F));
  } else {
    text += static_cast<char>(0xF0 | c >> 18);
    text += static_cast<char>(0x80 | (c >> 12 & 0x3F));
    text += static_cast<char>(0x80 | (c >> 6 & 0x3F));
    text += static_cast<char>(0x80 | (c & 0x3F));
  }
}

bool isValidUtf8(std::string_view text) {
  while (!text.empty()) {
    uint64_t word = 0;  // eight ASCII bytes at a time
    if (text.size() >= 8) {
      std::memcpy(&word, text.data(), 8);
      if ((word & 0x8080808080808080ull) == 0) {
        text.remove_prefix(8);
        continue;
      }
    }
    const CodePoint next = nextCodePoint(text);
    if (!next.isValid) return false;
    text.remove_prefix(next.length);
  }
  return true;
}

void AlignedText::append(std::string_view piece, uint32_t originalBegin, uint32_t originalEnd) {
  text += piece;
  begin.resize(text.size(), originalBegin);
  end.resize(text.size(), originalEnd);
}

AlignedText repairUtf8(std::string_view text) {
  AlignedText repaired;
  for (size_t at = 0; at < text.size();) {
    const CodePoint next = nextCodePoint(text.substr(at));
    std::string piece;
    appendUtf8(piece, next.value);
    repaired.append(piece, static_cast<uint32_t>(at), static_cast<uint32_t>(at + next.length));
    at += next.length;
  }
  return repaired;
}

std::string lossyUtf8(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size());
  while (!bytes.empty()) {
    const CodePoint next = nextCodePoint(bytes);
    appendUtf8(text, next.value);
    bytes.remove_prefix(next.length);
  }
  return text;
}

}  // namespace tidemark::text
