// The safetensors files of a model directory: finds, checks and opens all of them before any tensor is used.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/weights/safetensors.h"

namespace tidemark::weights {

struct Shards {
  std::vector<SafetensorsFile> files;
  std::map<std::string, size_t> fileOfTensor;  // every tensor of the model
};

// model.safetensors, or the files that model.safetensors.index.json names. Pickled weights are refused.
Result<Shards> openShards(const std::filesystem::path& folder);

}  // namespace tidemark::weights
