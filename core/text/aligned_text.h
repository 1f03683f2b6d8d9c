// Text that was changed on its way to the model (repaired, normalised), with the place of each byte in the original.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tidemark::text {

struct AlignedText {
  std::string text;
  // Per byte of `text`: the bytes [begin, end) of the original that it came from.
  std::vector<uint32_t> begin, end;

  void append(std::string_view piece, uint32_t originalBegin, uint32_t originalEnd);
};

// One code point and how many bytes it took. Bytes that are not UTF-8 give U+FFFD for each maximal subpart
// (Unicode 15, section 3.9), as Python's errors="replace" and Rust's from_utf8_lossy do.
struct CodePoint {
  char32_t value = 0;
  uint32_t length = 0;
  bool isValid = true;
};
CodePoint nextCodePoint(std::string_view text);  // text is not empty

void appendUtf8(std::string& text, char32_t codePoint);
bool isValidUtf8(std::string_view text);
AlignedText repairUtf8(std::string_view text);
std::string lossyUtf8(std::string_view bytes);

}  // namespace tidemark::text
