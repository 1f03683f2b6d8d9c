#include "core/weights/hf_gemma_config.h"

#include <algorithm>
#include <cmath>

namespace tidemark::weights {
namespace {

constexpr int64_t kMostLayers = 1 << 16;  // checked in earnest by checkModelConfig()

// transformers since 4.52 lists the kind of every layer; before, it wrote how many layers make a round.
Status readLayerKinds(const Fields& fields, ModelConfig& config) {
  TIDEMARK_ASSIGN(config.slidingWindow, fields.integerOr("sliding_window", 4096));  // Gemma3TextConfig's default
  if (config.slidingWindow < 1) return fields.refuse("sliding_window", "is not positive");
  if (const Json* kinds = fields.find("layer_types")) {
    if (!kinds->is_array()) return fields.refuse("layer_types", "is not an array");
    for (const Json& kind : *kinds) {
      if (kind != "sliding_attention" && kind != "full_attention")
        return fields.refuse("layer_types", kind.dump() + " is not supported; Tidemark computes: sliding_attention, full_attention",
                             ErrorCode::Unsupported);
      config.slidingLayers.push_back(kind == "sliding_attention");
    }
    return {};
  }
  TIDEMARK_ASSIGN(const int64_t written, fields.integerOr("_sliding_window_pattern", 6));
  TIDEMARK_ASSIGN(const int64_t round, fields.integerOr("sliding_window_pattern", written));
  if (round < 1) return fields.refuse("sliding_window_pattern", "is not positive");
  for (int64_t layer = 0; layer < std::min(config.layerCount, kMostLayers); ++layer)
    config.slidingLayers.push_back((layer + 1) % round != 0);
  return {};
}

// transformers 5 writes one set of "rope_parameters" for each kind of layer; older versions rope_theta and
// rope_scaling for full layers and rope_local_base_freq for sliding ones.
Status readRopes(const Fields& fields, ModelConfig& config) {
  TIDEMARK_ASSIGN(config.ropeTheta, fields.numberOr("rope_theta", 1e6));
  TIDEMARK_ASSIGN(config.slidingRopeTheta, fields.numberOr("rope_local_base_freq", 10000.0));
  TIDEMARK_ASSIGN(const auto parameters, fields.object("rope_parameters"));
  if (!parameters) {
    TIDEMARK_ASSIGN(const auto scaling, fields.object("rope_scaling"));
    return scaling ? readScaling(*scaling, config) : Status();
  }
  TIDEMARK_ASSIGN(const auto sliding, parameters->object("sliding_attention"));
  if (sliding) {
    TIDEMARK_ASSIGN(config.slidingRopeTheta, sliding->numberOr("rope_theta", config.slidingRopeTheta));
    TIDEMARK_ASSIGN(const std::string type, sliding->textOr("rope_type", "default"));
    if (type != "default") return sliding->refuse("rope_type", "sliding layers are computed without scaling only", ErrorCode::Unsupported);
  }
  TIDEMARK_ASSIGN(const auto full, parameters->object("full_attention"));
  if (!full) return {};
  TIDEMARK_ASSIGN(config.ropeTheta, full->numberOr("rope_theta", config.ropeTheta));
  return readScaling(*full, config);
}

}  // namespace

Status readGemma3(const Fields& fields, ModelConfig& config) {
  for (const char* key : {"attn_logit_softcapping", "final_logit_softcapping"}) {
    TIDEMARK_ASSIGN(const double cap, fields.numberOr(key, 0));
    if (cap != 0) return fields.refuse(key, "soft caps of logits are not supported", ErrorCode::Unsupported);
  }
  TIDEMARK_ASSIGN(const bool looksAhead, fields.booleanOr("use_bidirectional_attention", false));
  if (looksAhead) return fields.refuse("use_bidirectional_attention", "only causal attention is supported", ErrorCode::Unsupported);
  config.setGemma3();
  TIDEMARK_ASSIGN(const double scalar, fields.numberOr("query_pre_attn_scalar", 256));
  if (!(scalar > 0)) return fields.refuse("query_pre_attn_scalar", "is not positive");
  config.attentionScale = 1.0 / std::sqrt(scalar);
  TIDEMARK_TRY(readLayerKinds(fields, config));
  return readRopes(fields, config);
}

}  // namespace tidemark::weights
