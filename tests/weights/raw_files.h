// Builds files byte by byte, right or wrong, without any of the code under test.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace tidemark::test {

template <typename T>
std::string raw(T value) {
  std::string bytes(sizeof value, '\0');
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

inline std::string u32(uint32_t value) { return raw(value); }
inline std::string u64(uint64_t value) { return raw(value); }

// GGUF's text: a length and the bytes.
inline std::string ggufText(const std::string& text) { return u64(text.size()) + text; }

// GGUF's value types.
enum : uint32_t { kU8 = 0, kU32 = 4, kI32 = 5, kF32 = 6, kBool = 7, kString = 8, kArray = 9, kU64 = 10 };

inline std::string ggufKey(const std::string& key, uint32_t type, const std::string& value) {
  return ggufText(key) + u32(type) + value;
}

inline std::string ggufTensor(const std::string& name, const std::vector<uint64_t>& dimensions, uint32_t type, uint64_t offset) {
  std::string entry = ggufText(name) + u32(static_cast<uint32_t>(dimensions.size()));
  for (const uint64_t size : dimensions) entry += u64(size);
  return entry + u32(type) + u64(offset);
}

struct RawGguf {
  std::string magic = "GGUF";
  uint32_t version = 3;
  uint64_t tensorCount = 0, keyCount = 0;
  std::string keys, tensors, data;

  RawGguf& key(const std::string& entry) {
    keys += entry;
    ++keyCount;
    return *this;
  }
  RawGguf& tensor(const std::string& entry) {
    tensors += entry;
    ++tensorCount;
    return *this;
  }
  // Padded to `alignment` before the data.
  std::string bytes(size_t alignment = 32) const {
    std::string file = magic + u32(version) + u64(tensorCount) + u64(keyCount) + keys + tensors;
    file.append((alignment - file.size() % alignment) % alignment, '\0');
    return file + data;
  }
};

inline std::string rawSafetensors(const std::string& header, const std::string& data) {
  return u64(header.size()) + header + data;
}

}  // namespace tidemark::test
