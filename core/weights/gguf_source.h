// Opens a GGUF file as a model: metadata to ModelConfig, tensor names and row order to Hugging Face's.
#pragma once

#include <filesystem>
#include <memory>

#include "core/base/result.h"
#include "core/weights/gguf.h"
#include "core/weights/model_source.h"

namespace tidemark::weights {

Result<std::unique_ptr<ModelSource>> openGgufModel(const std::filesystem::path& path);

// The configuration alone, without looking at the tensors other than rope_freqs.weight and those whose presence is a fact.
Result<ModelConfig> ggufModelConfig(const GgufFile& file);

}  // namespace tidemark::weights
