// Walks the header of a GGUF file with every read bounds-checked. Internal to the GGUF reader.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace tidemark::weights {

class GgufCursor {
 public:
  GgufCursor(std::span<const std::byte> bytes, std::string file) : bytes_(bytes), file_(std::move(file)) {}

  uint64_t offset() const { return offset_; }
  uint64_t left() const { return bytes_.size() - offset_; }
  const std::byte* here() const { return bytes_.data() + offset_; }
  const std::string& file() const { return file_; }

  // An error about `field`, with the file and the offset.
  Error error(const std::string& field, const std::string& what, ErrorCode code = ErrorCode::InvalidInput) const {
    return {code, file_, field + " (at byte " + std::to_string(offset_) + "): " + what};
  }

  template <typename T>
  Result<T> read(const std::string& field) {
    if (left() < sizeof(T)) return error(field, "the file ends here; it is cut off");
    T value;
    std::memcpy(&value, here(), sizeof value);
    offset_ += sizeof value;
    return value;
  }

  Status skip(uint64_t bytes, const std::string& field) {
    if (left() < bytes)
      return error(field, "needs " + std::to_string(bytes) + " bytes, but the file has only " + std::to_string(left()) + " left");
    offset_ += bytes;
    return {};
  }

  // A length and that many bytes; the view points into the file.
  Result<std::string_view> text(const std::string& field) {
    TIDEMARK_ASSIGN(const uint64_t length, read<uint64_t>(field));
    const auto* begin = reinterpret_cast<const char*>(here());
    TIDEMARK_TRY(skip(length, field));
    return std::string_view(begin, static_cast<size_t>(length));
  }

 private:
  std::span<const std::byte> bytes_;
  uint64_t offset_ = 0;
  std::string file_;
};

}  // namespace tidemark::weights
