// What people call a model: the name of its file or folder, or org/name where it lies in the hub cache.
#pragma once

#include <string>

namespace tidemark::run {

// `model` as in RunConfig. A GGUF file's own general.name is often that of its training recipe, so it is not asked.
std::string modelName(const std::string& model);

}  // namespace tidemark::run
