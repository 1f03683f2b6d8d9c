#include "core/memory/piece_parts.h"

namespace tidemark::memory {

int64_t WeightGroup::rows() const {
  int64_t count = 0;
  for (const WeightMatrix& matrix : matrices) count += matrix.rows;
  return count;
}

std::vector<Part> partsOf(const PieceSpec& spec) {
  std::vector<Part> parts;
  for (size_t g = 0; g < spec.groups.size(); ++g) {
    int64_t row = 0;
    for (const WeightMatrix& matrix : spec.groups[g].matrices) {
      const bool joins = !parts.empty() && parts.back().group == g && parts.back().format() == matrix.format;
      if (!joins) parts.push_back({g, row, 0, {}});
      parts.back().rows += matrix.rows;
      parts.back().matrices.push_back(matrix);
      row += matrix.rows;
    }
  }
  return parts;
}

}  // namespace tidemark::memory
