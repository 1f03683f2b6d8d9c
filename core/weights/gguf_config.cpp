#include <algorithm>
#include <cmath>

#include "core/weights/dequantize.h"
#include "core/weights/gguf_source.h"

namespace tidemark::weights {
namespace {

// Reads "<architecture>.<key>" of one file.
class Keys {
 public:
  Keys(const GgufFile& file, const std::string& architecture) : file_(file), prefix_(architecture + ".") {}

  std::string name(const std::string& key) const { return prefix_ + key; }
  bool has(const std::string& key) const { return file_.has(name(key)); }
  Result<int64_t> integer(const std::string& key) const { return file_.integer(name(key)); }
  Result<int64_t> integerOr(const std::string& key, int64_t fallback) const {
    return has(key) ? integer(key) : Result<int64_t>(fallback);
  }
  Result<double> numberOr(const std::string& key, double fallback) const {
    return has(key) ? file_.number(name(key)) : Result<double>(fallback);
  }
  Error refuse(const std::string& key, const std::string& detail) const {
    return {ErrorCode::Unsupported, file_.path().string(), key + ": " + detail};
  }

 private:
  const GgufFile& file_;
  std::string prefix_;
};

Result<Architecture> architectureOf(const GgufFile& file) {
  TIDEMARK_ASSIGN(const std::string name, file.string("general.architecture"));
  for (const Architecture known : {Architecture::Llama, Architecture::Gemma3})
    if (name == architectureName(known)) return known;
  return Error{ErrorCode::Unsupported, file.path().string(),
               "general.architecture: the architecture \"" + name + "\" is not supported; Tidemark reads: llama, gemma3"};
}

// Features that would change the arithmetic.
Status checkFeatures(const GgufFile& file, const Keys& keys) {
  TIDEMARK_ASSIGN(const int64_t experts, keys.integerOr("expert_count", 0));
  if (experts > 0) return keys.refuse(keys.name("expert_count"), "mixtures of experts are not supported");
  for (const char* key : {"attn_logit_softcapping", "final_logit_softcapping"}) {
    TIDEMARK_ASSIGN(const double cap, keys.numberOr(key, 0));
    if (cap != 0) return keys.refuse(keys.name(key), "soft caps of logits are not supported");
  }
  if (file.has("split.count")) {
    TIDEMARK_ASSIGN(const int64_t parts, file.integer("split.count"));
    if (parts > 1) return keys.refuse("split.count", "the model is split over " + std::to_string(parts) + " files; merge them into one");
  }
  return {};
}

Status readSizes(const GgufFile& file, const Keys& keys, ModelConfig& config) {
  TIDEMARK_ASSIGN(config.hiddenSize, keys.integer("embedding_length"));
  TIDEMARK_ASSIGN(config.intermediateSize, keys.integer("feed_forward_length"));
  TIDEMARK_ASSIGN(config.layerCount, keys.integer("block_count"));
  TIDEMARK_ASSIGN(config.headCount, keys.integer("attention.head_count"));
  TIDEMARK_ASSIGN(config.keyValueHeadCount, keys.integerOr("attention.head_count_kv", config.headCount));
  TIDEMARK_ASSIGN(config.maxPositions, keys.integer("context_length"));
  if (config.headCount < 1) return Error{ErrorCode::InvalidInput, file.path().string(), keys.name("attention.head_count") + ": is not positive"};
  TIDEMARK_ASSIGN(config.headSize, keys.integerOr("attention.key_length", config.hiddenSize / config.headCount));
  TIDEMARK_ASSIGN(const int64_t valueSize, keys.integerOr("attention.value_length", config.headSize));
  if (valueSize != config.headSize)
    return keys.refuse(keys.name("attention.value_length"), "differs from the size of a key, which is not supported");
  TIDEMARK_ASSIGN(const int64_t rotated, keys.integerOr("rope.dimension_count", config.headSize));
  if (rotated != config.headSize)
    return keys.refuse(keys.name("rope.dimension_count"), "rotates " + std::to_string(rotated) + " of " + std::to_string(config.headSize) +
                                                         " elements of a head; only whole heads are supported");
  const GgufTensor* embedding = file.find("token_embd.weight");
  if (!embedding) return Error{ErrorCode::InvalidInput, file.path().string(), "tensor token_embd.weight: is missing"};
  TIDEMARK_ASSIGN(config.vocabularySize, keys.integerOr("vocab_size", embedding->shape[0]));
  return {};
}

Status readRope(const GgufFile& file, const Keys& keys, ModelConfig& config) {
  TIDEMARK_ASSIGN(config.ropeTheta, keys.numberOr("rope.freq_base", 10000.0));
  std::string scaling = "none";
  if (keys.has("rope.scaling.type")) {
    TIDEMARK_ASSIGN(scaling, file.string(keys.name("rope.scaling.type")));
  } else if (keys.has("rope.scale_linear") || keys.has("rope.scaling.factor")) {
    scaling = "linear";
  }
  if (scaling == "none") return {};
  if (scaling != "linear")
    return keys.refuse(keys.name("rope.scaling.type"), "\"" + scaling + "\" is not supported; Tidemark reads: none, linear");
  TIDEMARK_ASSIGN(const double oldFactor, keys.numberOr("rope.scale_linear", 1.0));  // the key's name before 2024
  TIDEMARK_ASSIGN(config.ropeFactor, keys.numberOr("rope.scaling.factor", oldFactor));
  config.ropeScaling = RopeScaling::Linear;
  return {};
}

// Llama 3's scaling comes as a tensor of divisors of the RoPE frequencies.
Status readFrequencyFactors(const GgufFile& file, ModelConfig& config) {
  const GgufTensor* factors = file.find("rope_freqs.weight");
  if (!factors) return {};
  if (factors->type != TensorType::F32 || factors->shape != std::vector<int64_t>{config.headSize / 2})
    return Error{ErrorCode::InvalidInput, file.path().string(),
                 "tensor rope_freqs.weight: is not a vector of " + std::to_string(config.headSize / 2) + " float32"};
  config.ropeFrequencyFactors.resize(static_cast<size_t>(factors->shape[0]));
  dequantize(factors->type, file.data(*factors).data(), factors->shape[0], config.ropeFrequencyFactors.data());
  return {};
}

// Whole numbers say how many layers make a round, whose last one sees everything; llama.cpp's default is Gemma's, 6.
Status readSlidingLayers(const GgufFile& file, const Keys& keys, ModelConfig& config) {
  TIDEMARK_ASSIGN(config.slidingWindow, keys.integerOr("attention.sliding_window", 0));
  if (config.slidingWindow == 0) return {};
  TIDEMARK_ASSIGN(config.slidingRopeTheta, keys.numberOr("rope.freq_base_swa", 10000.0));
  const Result<int64_t> round = keys.integerOr("attention.sliding_window_pattern", 6);
  if (!round.ok())
    return keys.refuse(keys.name("attention.sliding_window_pattern"), "is not a whole number; other patterns are not supported");
  if (*round < 1) return Error{ErrorCode::InvalidInput, file.path().string(), keys.name("attention.sliding_window_pattern") + ": is not positive"};
  for (int64_t layer = 0; layer < std::min<int64_t>(config.layerCount, 1 << 16); ++layer)
    config.slidingLayers.push_back((layer + 1) % *round != 0);
  return {};
}

Status describeGemma3(const GgufFile& file, const Keys& keys, ModelConfig& config) {
  config.setGemma3();
  // The 27B model alone, told by its number of layers, divides by the hidden size's part of a head (llama.cpp).
  if (config.layerCount == 62)
    config.attentionScale = 1.0 / std::sqrt(static_cast<double>(config.hiddenSize / config.headCount));
  return readSlidingLayers(file, keys, config);
}

}  // namespace

Result<ModelConfig> ggufModelConfig(const GgufFile& file) {
  ModelConfig config;
  TIDEMARK_ASSIGN(config.architecture, architectureOf(file));
  const Keys keys(file, std::string(architectureName(config.architecture)));
  TIDEMARK_TRY(checkFeatures(file, keys));
  config.name = file.path().stem().string();
  if (file.has("general.name")) {
    TIDEMARK_ASSIGN(config.name, file.string("general.name"));
  }
  TIDEMARK_TRY(readSizes(file, keys, config));
  TIDEMARK_ASSIGN(config.normEpsilon, file.number(keys.name("attention.layer_norm_rms_epsilon")));
  TIDEMARK_TRY(readRope(file, keys, config));
  TIDEMARK_TRY(readFrequencyFactors(file, config));
  if (config.architecture == Architecture::Gemma3) TIDEMARK_TRY(describeGemma3(file, keys, config));
  config.hasTiedHead = !file.find("output.weight");
  config.hasAttentionBias = file.find("blk.0.attn_q.bias") || file.find("blk.0.attn_output.bias");
  config.hasMlpBias = file.find("blk.0.ffn_gate.bias") || file.find("blk.0.ffn_down.bias");
  return config;
}

}  // namespace tidemark::weights
