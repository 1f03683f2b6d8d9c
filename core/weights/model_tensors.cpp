#include "core/weights/model_tensors.h"

#include <cmath>
#include <utility>

namespace tidemark::weights {
namespace {

constexpr int64_t kMaxLayers = 1024;
constexpr int64_t kMaxSize = int64_t{1} << 31;

// A linear layer of a block: its weight [rows, columns] and, where the model has one, its bias [rows].
struct Linear {
  std::string name, ggufName;
  int64_t rows, columns;
  bool hasBias;
  int64_t interleavedHeads = 0;
};

void addLinear(std::vector<ExpectedTensor>& tensors, const std::string& layer, const std::string& block, const Linear& linear) {
  tensors.push_back({layer + linear.name + ".weight", block + linear.ggufName + ".weight", {linear.rows, linear.columns},
                     linear.interleavedHeads});
  if (linear.hasBias)
    tensors.push_back({layer + linear.name + ".bias", block + linear.ggufName + ".bias", {linear.rows}, linear.interleavedHeads});
}

ExpectedTensor norm(const ModelConfig& config, const std::string& name, const std::string& ggufName, int64_t size) {
  return {name + ".weight", ggufName + ".weight", {size}, 0, static_cast<float>(config.normOffset)};
}

void addLayer(std::vector<ExpectedTensor>& tensors, const ModelConfig& config, int64_t index) {
  const std::string layer = "model.layers." + std::to_string(index) + ".";
  const std::string block = "blk." + std::to_string(index) + ".";
  const int64_t hidden = config.hiddenSize, inner = config.intermediateSize;
  const int64_t queryRows = config.headCount * config.headSize, keyRows = config.keyValueHeadCount * config.headSize;
  // Llama's converter reorders the heads' rows for interleaved RoPE; Gemma's leaves them.
  const bool isInterleaved = config.architecture == Architecture::Llama;
  tensors.push_back(norm(config, layer + "input_layernorm", block + "attn_norm", hidden));
  const Linear attention[] = {
      {"self_attn.q_proj", "attn_q", queryRows, hidden, config.hasAttentionBias, isInterleaved ? config.headCount : 0},
      {"self_attn.k_proj", "attn_k", keyRows, hidden, config.hasAttentionBias, isInterleaved ? config.keyValueHeadCount : 0},
      {"self_attn.v_proj", "attn_v", keyRows, hidden, config.hasAttentionBias},
      {"self_attn.o_proj", "attn_output", hidden, queryRows, config.hasAttentionBias}};
  for (const Linear& linear : attention) addLinear(tensors, layer, block, linear);
  if (config.hasQueryKeyNorm) {
    tensors.push_back(norm(config, layer + "self_attn.q_norm", block + "attn_q_norm", config.headSize));
    tensors.push_back(norm(config, layer + "self_attn.k_norm", block + "attn_k_norm", config.headSize));
  }
  if (config.hasOutputNorms)
    tensors.push_back(norm(config, layer + "post_attention_layernorm", block + "post_attention_norm", hidden));
  const char* mlpNorm = config.hasOutputNorms ? "pre_feedforward_layernorm" : "post_attention_layernorm";
  tensors.push_back(norm(config, layer + mlpNorm, block + "ffn_norm", hidden));
  const Linear mlp[] = {{"mlp.gate_proj", "ffn_gate", inner, hidden, config.hasMlpBias},
                        {"mlp.up_proj", "ffn_up", inner, hidden, config.hasMlpBias},
                        {"mlp.down_proj", "ffn_down", hidden, inner, config.hasMlpBias}};
  for (const Linear& linear : mlp) addLinear(tensors, layer, block, linear);
  if (config.hasOutputNorms) tensors.push_back(norm(config, layer + "post_feedforward_layernorm", block + "post_ffw_norm", hidden));
}

Status checkSizes(const ModelConfig& config, const std::string& subject) {
  const std::pair<const char*, int64_t> sizes[] = {
      {"hidden size", config.hiddenSize},     {"intermediate size", config.intermediateSize},
      {"attention heads", config.headCount},  {"key/value heads", config.keyValueHeadCount},
      {"head size", config.headSize},         {"vocabulary size", config.vocabularySize},
      {"context length", config.maxPositions}};
  for (const auto& [what, size] : sizes)
    if (size < 1 || size > kMaxSize)
      return Error{ErrorCode::InvalidInput, subject, std::string(what) + ": " + std::to_string(size) + " is not a sensible number"};
  if (config.layerCount < 1 || config.layerCount > kMaxLayers)
    return Error{ErrorCode::InvalidInput, subject,
                 "layers: " + std::to_string(config.layerCount) + " is not from 1 to " + std::to_string(kMaxLayers)};
  if (config.headCount > kMaxSize / config.headSize)
    return Error{ErrorCode::InvalidInput, subject, "attention heads: times the head size is too large"};
  if (config.headCount % config.keyValueHeadCount != 0)
    return Error{ErrorCode::InvalidInput, subject,
                 "attention heads: " + std::to_string(config.headCount) + " is not a multiple of the " +
                     std::to_string(config.keyValueHeadCount) + " key/value heads"};
  if (config.slidingWindow < 0 || config.slidingWindow > kMaxSize)
    return Error{ErrorCode::InvalidInput, subject, "sliding window: " + std::to_string(config.slidingWindow) + " is not a sensible number"};
  if (!config.slidingLayers.empty() && config.slidingLayers.size() != static_cast<size_t>(config.layerCount))
    return Error{ErrorCode::InvalidInput, subject,
                 "sliding layers: are told for " + std::to_string(config.slidingLayers.size()) + " layers, but there are " +
                     std::to_string(config.layerCount)};
  if (config.headSize % 2 != 0)
    return Error{ErrorCode::InvalidInput, subject, "head size: " + std::to_string(config.headSize) + " is odd"};
  return {};
}

}  // namespace

std::vector<ExpectedTensor> modelTensors(const ModelConfig& config) {
  std::vector<ExpectedTensor> tensors;
  tensors.push_back({"model.embed_tokens.weight", "token_embd.weight", {config.vocabularySize, config.hiddenSize}});
  for (int64_t i = 0; i < config.layerCount; ++i) addLayer(tensors, config, i);
  tensors.push_back(norm(config, "model.norm", "output_norm", config.hiddenSize));
  if (!config.hasTiedHead) tensors.push_back({"lm_head.weight", "output.weight", {config.vocabularySize, config.hiddenSize}});
  return tensors;
}

Status checkModelConfig(const ModelConfig& config, const std::string& subject) {
  TIDEMARK_TRY(checkSizes(config, subject));
  const auto refuse = [&](const std::string& detail) { return Error{ErrorCode::InvalidInput, subject, detail}; };
  if (!std::isfinite(config.normEpsilon) || config.normEpsilon <= 0) return refuse("norm epsilon: is not a positive number");
  if (!std::isfinite(config.ropeTheta) || config.ropeTheta <= 0) return refuse("RoPE theta: is not a positive number");
  if (!std::isfinite(config.slidingRopeTheta) || config.slidingRopeTheta <= 0)
    return refuse("RoPE theta of sliding layers: is not a positive number");
  if (!std::isfinite(config.attentionScale) || config.attentionScale < 0) return refuse("attention scale: is not a positive number");
  if (!std::isfinite(config.ropeFactor) || config.ropeFactor <= 0) return refuse("RoPE scaling factor: is not a positive number");
  if (config.ropeScaling == RopeScaling::Llama3) {
    if (!(config.ropeLowFrequencyFactor > 0) || !(config.ropeHighFrequencyFactor > config.ropeLowFrequencyFactor) ||
        !std::isfinite(config.ropeHighFrequencyFactor))
      return refuse("RoPE scaling: 0 < low_freq_factor < high_freq_factor is expected");
    if (config.ropeOriginalPositions < 1) return refuse("RoPE scaling: original_max_position_embeddings is not positive");
  }
  for (const float factor : config.ropeFrequencyFactors)
    if (!std::isfinite(factor) || factor <= 0) return refuse("RoPE frequency factors: hold a number that is not positive");
  return {};
}

}  // namespace tidemark::weights
