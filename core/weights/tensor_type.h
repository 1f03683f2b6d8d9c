// The ways in which a tensor's elements are stored: how many elements make a block and how many bytes it takes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "core/base/result.h"

namespace tidemark::weights {

enum class TensorType { F32, F16, BF16, Q4_0, Q4_1, Q5_0, Q5_1, Q8_0, Q4_K, Q5_K, Q6_K };

struct TypeLayout {
  std::string_view name;
  int64_t blockElements = 1;
  int64_t blockBytes = 0;
};

const TypeLayout& layoutOf(TensorType type);

// Bytes of a tensor, with every product checked. The error's subject is empty: the caller knows the tensor.
Result<uint64_t> storedBytes(TensorType type, std::span<const int64_t> shape);

// safetensors' dtype ("F32", "F16", "BF16"); nothing for any other.
std::optional<TensorType> safetensorsType(std::string_view name);
// Whether safetensors defines such a dtype, readable here or not.
bool isSafetensorsType(std::string_view name);
// GGUF's tensor type number; nothing for those that Tidemark cannot read.
std::optional<TensorType> ggufType(uint32_t number);
// Its name ("IQ4_XS"), also of types that cannot be read; empty where GGUF has no such type.
std::string_view ggufTypeName(uint32_t number);

// What a message lists as readable.
inline constexpr std::string_view kReadableGgufTypes = "F32, F16, BF16, Q4_0, Q4_1, Q5_0, Q5_1, Q8_0, Q4_K, Q5_K, Q6_K";
inline constexpr std::string_view kReadableSafetensorsTypes = "F32, F16, BF16";

}  // namespace tidemark::weights
