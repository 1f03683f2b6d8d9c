// Which tensors a model consists of: their names, shapes and GGUF names, derived from the configuration alone.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/weights/model_config.h"

namespace tidemark::weights {

struct ExpectedTensor {
  std::string name;            // Hugging Face's
  std::string ggufName;
  std::vector<int64_t> shape;  // as TensorInfo::shape
  // Heads whose rows GGUF interleaves (Llama's q_proj and k_proj); 0 for all other tensors.
  int64_t interleavedHeads = 0;
  // What GGUF's converter added to the elements (1 to Gemma's norms).
  float ggufOffset = 0;
};

// In the order of use: embedding, layers, final norm, head.
std::vector<ExpectedTensor> modelTensors(const ModelConfig& config);

// Whether the figures make sense together; errors name the figure. Required before modelTensors().
Status checkModelConfig(const ModelConfig& config, const std::string& subject);

}  // namespace tidemark::weights
