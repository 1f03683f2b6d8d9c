// Writes named float32 tensors as one safetensors file that is complete or not there at all.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>

#include "core/base/result.h"

namespace tidemark::weights {

// Views: what they point at must live until the file is written.
struct TensorToWrite {
  std::string name;
  std::span<const int64_t> shape;  // empty for a scalar
  std::span<const float> values;   // row-major, as many as the shape says
};

// Writes a sibling temporary file, fsyncs it, renames it over `path` and fsyncs the folder. Tensors keep their order;
// `metadata` becomes "__metadata__" (left out if empty).
Status writeSafetensors(const std::filesystem::path& path, std::span<const TensorToWrite> tensors,
                        const std::map<std::string, std::string>& metadata = {});

}  // namespace tidemark::weights
