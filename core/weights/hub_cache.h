// Finds `org/name` in the local Hugging Face hub cache (HF_HUB_CACHE, HF_HOME/hub, ~/.cache/huggingface/hub). Read only.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace tidemark::weights {

// A path that exists is returned as it is; otherwise `org/name` or `org/name@revision` is looked up in the cache.
Result<std::filesystem::path> resolveModelPath(const std::string& nameOrPath);

// Every model directory in the cache as "org/name", sorted.
std::vector<std::string> listHubModels();

// "models--org--name" -> "org/name"; empty for any other folder name.
std::string hubModelName(const std::string& folderName);

}  // namespace tidemark::weights
