// GPT-2's printable stand-ins for the 256 bytes, in which byte-level BPE vocabularies are written.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tidemark::text {

char32_t byteToStandIn(uint8_t byte);
// The bytes that a vocabulary entry stands for; empty if some character is no stand-in.
std::optional<std::string> standInsToBytes(std::string_view token);

}  // namespace tidemark::text
