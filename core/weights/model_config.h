// The shape of a pretrained model, independent of the file format it came from.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tidemark::weights {

enum class Architecture { Llama };

enum class RopeScaling { None, Linear, Llama3 };

struct ModelConfig {
  Architecture architecture = Architecture::Llama;
  std::string name;               // for people: general.name, or the folder's name
  int64_t hiddenSize = 0;
  int64_t intermediateSize = 0;
  int64_t layerCount = 0;
  int64_t headCount = 0;
  int64_t keyValueHeadCount = 0;
  int64_t headSize = 0;
  int64_t vocabularySize = 0;
  int64_t maxPositions = 0;
  double ropeTheta = 10000.0;
  RopeScaling ropeScaling = RopeScaling::None;
  double ropeFactor = 1.0;
  double ropeLowFrequencyFactor = 1.0;     // Llama3 scaling only
  double ropeHighFrequencyFactor = 4.0;
  int64_t ropeOriginalPositions = 8192;
  std::vector<float> ropeFrequencyFactors; // GGUF's rope_freqs.weight, [headSize / 2] or empty
  double normEpsilon = 1e-5;
  bool hasTiedHead = false;                // the loss head is the embedding table
  bool hasAttentionBias = false;
  bool hasMlpBias = false;
};

// Hugging Face's tensor names of the Llama family; all sources use these, GGUF's are translated.
//   model.embed_tokens.weight [V, H]        model.norm.weight [H]        lm_head.weight [V, H] (untied only)
//   model.layers.I.{input_layernorm,post_attention_layernorm}.weight [H]
//   model.layers.I.self_attn.{q,k,v,o}_proj.weight    model.layers.I.mlp.{gate,up,down}_proj.weight   [out, in]

}  // namespace tidemark::weights
