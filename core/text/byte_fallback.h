// SentencePiece's tokens for single bytes ("<0xE2>"), of which characters without a token of their own are made.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tidemark::text {

std::string byteTokenText(uint8_t byte);
std::optional<uint8_t> byteOfToken(std::string_view token);  // none: any other token

// Tokens one after the other as text. Bytes that follow each other are joined to characters; if all of them together are
// not valid UTF-8, each becomes U+FFFD, as in `tokenizers`' ByteFallback.
std::string joinWithBytes(const std::vector<std::string_view>& tokens);

}  // namespace tidemark::text
