// The shape of a pretrained model, independent of the file format it came from.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tidemark::weights {

enum class Architecture { Llama, Gemma3 };
constexpr std::string_view architectureName(Architecture architecture) {
  return architecture == Architecture::Llama ? "llama" : "gemma3";
}

enum class RopeScaling { None, Linear, Llama3 };
enum class Activation { Silu, GeluTanh };  // of the MLP's gate

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

  // What sets Gemma 3 apart from Llama; the defaults are Llama's.
  Activation activation = Activation::Silu;
  bool hasQueryKeyNorm = false;            // every head of q and k is normalised before it is rotated
  bool hasOutputNorms = false;             // what attention and MLP give is normalised before it is added to their input
  double normOffset = 0;                   // added to every norm's weight: Gemma's weights lie around zero
  double embeddingScale = 1;               // of the embeddings, not of a tied head
  double attentionScale = 0;               // of query times key; 0: 1 / sqrt(headSize)
  int64_t slidingWindow = 0;               // tokens that a sliding layer's query sees, its own included
  std::vector<bool> slidingLayers;         // one per layer, or none: no layer slides
  double slidingRopeTheta = 10000.0;       // of sliding layers, whose RoPE is never scaled
  bool isSliding(int64_t layer) const { return !slidingLayers.empty() && slidingLayers[static_cast<size_t>(layer)]; }
  bool hasSlidingLayers() const { return slidingWindow > 0; }
  // What all Gemma 3 models share (Gemma 3 technical report, 2025); after the sizes are known.
  void setGemma3() {
    architecture = Architecture::Gemma3;
    activation = Activation::GeluTanh;
    hasQueryKeyNorm = hasOutputNorms = true;
    normOffset = 1;
    embeddingScale = std::sqrt(static_cast<double>(hiddenSize));
  }
};

// Hugging Face's tensor names; all sources use these and give what Hugging Face's files hold, GGUF's are translated.
//   model.embed_tokens.weight [V, H]        model.norm.weight [H]        lm_head.weight [V, H] (untied only)
//   model.layers.I.{input_layernorm,post_attention_layernorm}.weight [H]
//   model.layers.I.self_attn.{q,k,v,o}_proj.weight    model.layers.I.mlp.{gate,up,down}_proj.weight   [out, in]
// Gemma 3 has, beside these (its post_attention_layernorm is attention's output norm):
//   model.layers.I.{pre,post}_feedforward_layernorm.weight [H]    model.layers.I.self_attn.{q,k}_norm.weight [D]

}  // namespace tidemark::weights
