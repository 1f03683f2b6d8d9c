// Text from outside (names, paths, messages) made fit for a terminal: no byte of it can move the cursor, change colours or
// turn the reading direction.
#pragma once

#include <string>

namespace tidemark {

// Replaces every byte that is not part of valid UTF-8 by '?', and control characters by ' ': those of ASCII but newline
// and tab, those of Latin-1, line separators, and what overrides the direction of text.
std::string printable(const std::string& text);

// The same, and newlines and tabs become ' ' too.
std::string oneLine(const std::string& text);

}  // namespace tidemark
