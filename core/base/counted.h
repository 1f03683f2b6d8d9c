// "1 token", "2 tokens": a number with its noun.
#pragma once

#include <cstdint>
#include <string>

namespace tidemark {

// `noun` is the singular of one that takes an s.
inline std::string counted(int64_t number, const std::string& noun) {
  return std::to_string(number) + " " + noun + (number == 1 ? "" : "s");
}

}  // namespace tidemark
