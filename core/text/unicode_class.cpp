#include "core/text/unicode_class.h"

#include <unicode/uchar.h>

#include "core/text/aligned_text.h"

namespace tidemark::text {
namespace {

bool isSpace(char32_t c) { return u_hasBinaryProperty(static_cast<UChar32>(c), UCHAR_WHITE_SPACE); }

// UTS 18, annex C: \w.
bool isWord(char32_t c) {
  const auto code = static_cast<UChar32>(c);
  constexpr uint32_t kMask = U_GC_M_MASK | U_GC_ND_MASK | U_GC_PC_MASK;
  return u_hasBinaryProperty(code, UCHAR_ALPHABETIC) || u_hasBinaryProperty(code, UCHAR_JOIN_CONTROL) ||
         (U_GET_GC_MASK(code) & kMask) != 0;
}

// The last character of valid UTF-8.
std::string_view lastCharacter(std::string_view text) {
  size_t begin = text.size() - 1;
  while (begin > 0 && (static_cast<uint8_t>(text[begin]) & 0xC0) == 0x80) --begin;
  return text.substr(begin);
}

}  // namespace

bool endsWithWordCharacter(std::string_view text) {
  return !text.empty() && isWord(nextCodePoint(lastCharacter(text)).value);
}

bool beginsWithWordCharacter(std::string_view text) { return !text.empty() && isWord(nextCodePoint(text).value); }

size_t leadingSpace(std::string_view text) {
  size_t length = 0;
  while (length < text.size()) {
    const CodePoint next = nextCodePoint(text.substr(length));
    if (!isSpace(next.value)) break;
    length += next.length;
  }
  return length;
}

size_t trailingSpace(std::string_view text) {
  size_t length = 0;
  while (length < text.size()) {
    const std::string_view last = lastCharacter(text.substr(0, text.size() - length));
    if (!isSpace(nextCodePoint(last).value)) break;
    length += last.size();
  }
  return length;
}

}  // namespace tidemark::text
