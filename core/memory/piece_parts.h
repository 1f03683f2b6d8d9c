// Which matrices make up a piece, and how they are divided for sharding: those of a group that follow each other in the same
// format are sharded as one. No tensors. See Note: blocked weights and Note: encoded weights in parameter_store.h.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/weights/row_format.h"

namespace tidemark::memory {

struct WeightMatrix {
  std::string tensor;
  int64_t rows = 0;
  weights::RowFormat format;
};
struct WeightGroup {
  std::vector<WeightMatrix> matrices;  // concatenated by rows
  int64_t columns = 0;
  int64_t rows() const;
};

struct PieceSpec {
  std::string name;
  std::vector<WeightGroup> groups;
};

// What is sharded as one: the rows of a part are numbered from 0, and each rank owns a range of them.
struct Part {
  size_t group = 0;
  int64_t rowBegin = 0, rows = 0;  // within the group
  std::vector<WeightMatrix> matrices;
  const weights::RowFormat& format() const { return matrices.front().format; }
};
std::vector<Part> partsOf(const PieceSpec& spec);

}  // namespace tidemark::memory
