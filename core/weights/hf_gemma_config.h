// The part of config.json that only Gemma 3 has. Internal to weights.
#pragma once

#include "core/base/result.h"
#include "core/weights/hf_fields.h"
#include "core/weights/model_config.h"

namespace tidemark::weights {

// After the sizes: what Gemma 3 is made of, its sliding layers, and both of its RoPEs.
Status readGemma3(const Fields& fields, ModelConfig& config);

// rope_type and what belongs to it (hf_config.cpp).
Status readScaling(const Fields& scaling, ModelConfig& config);

}  // namespace tidemark::weights
