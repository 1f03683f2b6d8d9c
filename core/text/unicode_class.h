// Character classes with the meaning that they have in Rust's regex crate, which `tokenizers` uses for added tokens.
#pragma once

#include <cstddef>
#include <string_view>

namespace tidemark::text {

bool endsWithWordCharacter(std::string_view text);
bool beginsWithWordCharacter(std::string_view text);
size_t leadingSpace(std::string_view text);   // bytes
size_t trailingSpace(std::string_view text);  // bytes

}  // namespace tidemark::text
