// SHA-256 (FIPS 180-4), fed piece by piece.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "core/base/result.h"

namespace tidemark {

class Sha256 {
 public:
  using Digest = std::array<uint8_t, 32>;

  void add(std::span<const std::byte> bytes);
  template <typename T>
  void add(std::span<const T> values) { add(std::as_bytes(values)); }
  Digest finish();  // ends the computation

 private:
  void addBlock(const uint8_t* block);

  std::array<uint32_t, 8> state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<uint8_t, 64> block_{};
  size_t filled_ = 0;
  uint64_t total_ = 0;  // bytes
};

std::string toHex(const Sha256::Digest& digest);
Result<std::string> sha256OfFile(const std::filesystem::path& path);  // in hexadecimal

}  // namespace tidemark
