#include <algorithm>

#include "core/base/file.h"
#include "core/weights/hf_fields.h"
#include "core/weights/hf_gemma_config.h"
#include "core/weights/hf_source.h"

namespace tidemark::weights {
namespace {

// What config.json calls an architecture, and the class that it must list.
struct Family {
  Architecture architecture;
  const char* modelType;
  const char* className;
};
constexpr Family kFamilies[] = {{Architecture::Llama, "llama", "LlamaForCausalLM"},
                                {Architecture::Gemma3, "gemma3_text", "Gemma3ForCausalLM"}};

Result<Architecture> architectureOf(const Fields& fields) {
  TIDEMARK_ASSIGN(const std::string type, fields.textOr("model_type", ""));
  if (type.empty()) return fields.refuse("model_type", "is missing");
  const auto* family = std::find_if(std::begin(kFamilies), std::end(kFamilies), [&](const Family& known) { return type == known.modelType; });
  if (family == std::end(kFamilies))
    return fields.refuse("model_type", "the architecture \"" + type + "\" is not supported; Tidemark reads: llama, gemma3_text" +
                         (type == "gemma3" ? " (a Gemma 3 that sees images is stored as gemma3; its text model alone can be read)" : ""),
                         ErrorCode::Unsupported);
  if (const Json* list = fields.find("architectures")) {
    if (!list->is_array()) return fields.refuse("architectures", "is not an array");
    if (std::find(list->begin(), list->end(), Json(family->className)) == list->end())
      return fields.refuse("architectures", list->dump() + " is not supported; Tidemark reads: " + family->className, ErrorCode::Unsupported);
  }
  return family->architecture;
}

Status checkFeatures(const Fields& fields, Architecture architecture) {
  if (fields.find("quantization_config"))
    return fields.refuse("quantization_config", "quantised Hugging Face checkpoints are not supported; use the original "
                                                "weights, or a GGUF file", ErrorCode::Unsupported);
  const bool isGemma = architecture == Architecture::Gemma3;
  const std::string key = isGemma ? "hidden_activation" : "hidden_act", known = isGemma ? "gelu_pytorch_tanh" : "silu";
  TIDEMARK_ASSIGN(const std::string activation, fields.textOr(key, known));
  if (activation != known)
    return fields.refuse(key, "\"" + activation + "\" is not supported; Tidemark computes: " + known, ErrorCode::Unsupported);
  TIDEMARK_ASSIGN(const double rotated, fields.numberOr("partial_rotary_factor", 1.0));
  if (rotated != 1.0) return fields.refuse("partial_rotary_factor", "only whole heads can be rotated", ErrorCode::Unsupported);
  return {};
}

Status readSizes(const Fields& fields, ModelConfig& config) {
  TIDEMARK_ASSIGN(config.hiddenSize, fields.integer("hidden_size"));
  TIDEMARK_ASSIGN(config.intermediateSize, fields.integer("intermediate_size"));
  TIDEMARK_ASSIGN(config.layerCount, fields.integer("num_hidden_layers"));
  TIDEMARK_ASSIGN(config.headCount, fields.integer("num_attention_heads"));
  TIDEMARK_ASSIGN(config.keyValueHeadCount, fields.integerOr("num_key_value_heads", config.headCount));
  TIDEMARK_ASSIGN(config.vocabularySize, fields.integer("vocab_size"));
  TIDEMARK_ASSIGN(config.maxPositions, fields.integerOr("max_position_embeddings", 2048));  // LlamaConfig's default
  if (config.headCount < 1) return fields.refuse("num_attention_heads", "is not positive");
  const bool isGemma = config.architecture == Architecture::Gemma3;
  if (!isGemma && !fields.find("head_dim") && config.hiddenSize % config.headCount != 0)
    return fields.refuse("hidden_size", "is not a multiple of num_attention_heads, and there is no head_dim");
  const int64_t defaultSize = isGemma ? 256 : config.hiddenSize / config.headCount;  // Gemma3TextConfig's
  TIDEMARK_ASSIGN(config.headSize, fields.integerOr("head_dim", defaultSize));
  return {};
}

}  // namespace

Status readScaling(const Fields& scaling, ModelConfig& config) {
  TIDEMARK_ASSIGN(const std::string oldName, scaling.textOr("type", "default"));
  TIDEMARK_ASSIGN(const std::string type, scaling.textOr("rope_type", oldName));
  if (type == "default") return {};
  if (type != "linear" && type != "llama3")
    return scaling.refuse("rope_type", "\"" + type + "\" is not supported; Tidemark computes: default, linear, llama3",
                          ErrorCode::Unsupported);
  TIDEMARK_ASSIGN(config.ropeFactor, scaling.number("factor"));
  config.ropeScaling = type == "linear" ? RopeScaling::Linear : RopeScaling::Llama3;
  if (type == "linear") return {};
  TIDEMARK_ASSIGN(config.ropeLowFrequencyFactor, scaling.number("low_freq_factor"));
  TIDEMARK_ASSIGN(config.ropeHighFrequencyFactor, scaling.number("high_freq_factor"));
  TIDEMARK_ASSIGN(config.ropeOriginalPositions, scaling.integer("original_max_position_embeddings"));
  return {};
}

namespace {

// transformers 5 writes "rope_parameters", which holds theta and the scaling; older versions "rope_theta" and "rope_scaling".
Status readRope(const Fields& fields, ModelConfig& config) {
  TIDEMARK_ASSIGN(config.ropeTheta, fields.numberOr("rope_theta", 10000.0));
  TIDEMARK_ASSIGN(const auto parameters, fields.object("rope_parameters"));
  TIDEMARK_ASSIGN(const auto scaling, fields.object("rope_scaling"));
  if (parameters) {
    TIDEMARK_ASSIGN(config.ropeTheta, parameters->numberOr("rope_theta", config.ropeTheta));
    TIDEMARK_ASSIGN(const double rotated, parameters->numberOr("partial_rotary_factor", 1.0));
    if (rotated != 1.0)
      return parameters->refuse("partial_rotary_factor", "only whole heads can be rotated", ErrorCode::Unsupported);
    return readScaling(*parameters, config);
  }
  return scaling ? readScaling(*scaling, config) : Status();
}

}  // namespace

Result<ModelConfig> readHuggingFaceConfig(const std::filesystem::path& file) {
  TIDEMARK_ASSIGN(const std::string text, readFile(file, 1 << 20));
  TIDEMARK_ASSIGN(const Json json, parseJson(text, file.string()));
  if (!json.is_object()) return Error{ErrorCode::InvalidInput, file.string(), "is not a JSON object"};
  const Fields fields(json, file.string());
  ModelConfig config;
  TIDEMARK_ASSIGN(config.architecture, architectureOf(fields));
  TIDEMARK_TRY(checkFeatures(fields, config.architecture));
  const bool isGemma = config.architecture == Architecture::Gemma3;
  TIDEMARK_TRY(readSizes(fields, config));
  if (isGemma) TIDEMARK_TRY(readGemma3(fields, config));
  else TIDEMARK_TRY(readRope(fields, config));
  TIDEMARK_ASSIGN(config.normEpsilon, fields.numberOr("rms_norm_eps", 1e-6));  // LlamaConfig's default
  TIDEMARK_ASSIGN(config.hasTiedHead, fields.booleanOr("tie_word_embeddings", isGemma));
  TIDEMARK_ASSIGN(config.hasAttentionBias, fields.booleanOr("attention_bias", false));
  TIDEMARK_ASSIGN(config.hasMlpBias, fields.booleanOr("mlp_bias", false));
  return config;
}

}  // namespace tidemark::weights
