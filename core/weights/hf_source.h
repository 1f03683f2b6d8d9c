// Opens a Hugging Face model directory: config.json to ModelConfig, and its safetensors files, one or many.
#pragma once

#include <filesystem>
#include <memory>

#include "core/base/result.h"
#include "core/weights/model_source.h"

namespace tidemark::weights {

Result<std::unique_ptr<ModelSource>> openHuggingFaceModel(const std::filesystem::path& folder);

// config.json alone; `name` is left to the caller.
Result<ModelConfig> readHuggingFaceConfig(const std::filesystem::path& file);

}  // namespace tidemark::weights
