// Rotary position embedding (Su et al. 2021), in the half-split form that Hugging Face's Llama uses.
#pragma once

#include <ATen/core/Tensor.h>

#include "core/weights/model_config.h"

namespace tidemark::model {

class Rotary {
 public:
  Rotary(const weights::ModelConfig& config, c10::Device device);

  struct Turn {
    at::Tensor cosine, sine;  // [n, 1, headSize / 2]
  };
  // Layers that see everything and sliding ones turn at different speeds; `sliding` is undefined where no layer slides.
  struct Angles {
    Turn full, sliding;
  };
  Angles angles(const at::Tensor& positions) const;

  // In place on heads [n, heads, headSize].
  static void rotate(at::Tensor heads, const Turn& turn);
  static void rotateBack(at::Tensor heads, const Turn& turn);

 private:
  at::Tensor inverseFrequencies_, slidingFrequencies_;  // [headSize / 2]
};

}  // namespace tidemark::model
