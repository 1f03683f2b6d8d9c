// How one row of a frozen matrix lies in memory: as float32, as the file stores it, or quantised when it is loaded. Rows
// are independent of each other, so that any range of them can be sharded, gathered and decoded on its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "core/weights/tensor_type.h"

namespace tidemark::weights {

class RowFormat {
 public:
  enum class Kind {
    Stored,  // a TensorType, as in a GGUF or safetensors file
    Int8,    // float32 scale, then a signed byte for each element (symmetric, by row: Dettmers et al. 2022)
    Nf4,     // NormalFloat4 with double quantisation, by row (Dettmers et al. 2023)
  };
  // Nf4 in a row of C elements: float32 least and step of the blocks' absolute maxima, a byte for each block of 64 elements
  // (its maximum is least + byte * step), then nibbles, the low one first.

  RowFormat() = default;  // rows of no elements
  static RowFormat stored(TensorType type, int64_t columns) { return {Kind::Stored, type, columns}; }
  static RowFormat float32(int64_t columns) { return stored(TensorType::F32, columns); }
  static RowFormat int8(int64_t columns) { return {Kind::Int8, TensorType::F32, columns}; }
  static RowFormat nf4(int64_t columns) { return {Kind::Nf4, TensorType::F32, columns}; }

  bool isFloat32() const { return kind_ == Kind::Stored && type_ == TensorType::F32; }
  // Whether its bytes are the file's own.
  bool isStored() const { return kind_ == Kind::Stored; }
  int64_t columns() const { return columns_; }
  int64_t rowBytes() const;
  std::string name() const;  // "Q4_1", "int8", "nf4"
  bool operator==(const RowFormat&) const = default;

  void decode(const std::byte* rows, int64_t rowCount, float* out) const;
  // For rows that are not stored in the file so: quantises to nearest.
  void encode(const float* rows, int64_t rowCount, std::byte* out) const;

 private:
  RowFormat(Kind kind, TensorType type, int64_t columns) : kind_(kind), type_(type), columns_(columns) {}

  Kind kind_ = Kind::Stored;
  TensorType type_ = TensorType::F32;
  int64_t columns_ = 0;
};

}  // namespace tidemark::weights
