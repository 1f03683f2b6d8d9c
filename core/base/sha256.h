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
  void update(std::span<const std::byte> data);
  void update(const void* data, size_t size) { update({static_cast<const std::byte*>(data), size}); }
  std::string hexDigest();  // 64 lower-case digits; ends the computation

 private:
  void block(const unsigned char* data);
  std::array<uint32_t, 8> state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<unsigned char, 64> buffer_{};
  size_t buffered_ = 0;
  uint64_t total_ = 0;
};

Result<std::string> sha256OfFile(const std::filesystem::path& path);

}  // namespace tidemark
