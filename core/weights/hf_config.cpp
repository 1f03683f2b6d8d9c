#include <algorithm>
#include <optional>

#include "core/base/file.h"
#include "core/base/json.h"
#include "core/weights/hf_source.h"

namespace tidemark::weights {
namespace {

// One JSON object of config.json; `prefix` names it in messages ("rope_scaling.").
class Fields {
 public:
  Fields(const Json& json, std::string file, std::string prefix = "")
      : json_(json), file_(std::move(file)), prefix_(std::move(prefix)) {}

  // Absent and null mean the same in these files.
  const Json* find(const std::string& key) const {
    const auto found = json_.find(key);
    return found == json_.end() || found->is_null() ? nullptr : &*found;
  }
  Error refuse(const std::string& key, const std::string& detail, ErrorCode code = ErrorCode::InvalidInput) const {
    return {code, file_, prefix_ + key + ": " + detail};
  }
  Result<int64_t> integer(const std::string& key) const {
    const Json* value = find(key);
    if (!value) return refuse(key, "is missing");
    if (!value->is_number_integer() || (value->is_number_unsigned() && value->get<uint64_t>() > INT64_MAX))
      return refuse(key, "is not a whole number");
    return value->get<int64_t>();
  }
  Result<int64_t> integerOr(const std::string& key, int64_t fallback) const {
    return find(key) ? integer(key) : Result<int64_t>(fallback);
  }
  Result<double> number(const std::string& key) const {
    const Json* value = find(key);
    if (!value) return refuse(key, "is missing");
    if (!value->is_number()) return refuse(key, "is not a number");
    return value->get<double>();
  }
  Result<double> numberOr(const std::string& key, double fallback) const {
    return find(key) ? number(key) : Result<double>(fallback);
  }
  Result<bool> booleanOr(const std::string& key, bool fallback) const {
    const Json* value = find(key);
    if (!value) return fallback;
    if (!value->is_boolean()) return refuse(key, "is not true or false");
    return value->get<bool>();
  }
  Result<std::string> textOr(const std::string& key, const std::string& fallback) const {
    const Json* value = find(key);
    if (!value) return fallback;
    if (!value->is_string()) return refuse(key, "is not a string");
    return value->get<std::string>();
  }
  Result<std::optional<Fields>> object(const std::string& key) const {
    const Json* value = find(key);
    if (!value) return std::optional<Fields>();
    if (!value->is_object()) return refuse(key, "is not an object");
    return std::optional<Fields>(Fields(*value, file_, prefix_ + key + "."));
  }

 private:
  const Json& json_;
  std::string file_, prefix_;
};

Status checkArchitecture(const Fields& fields) {
  TIDEMARK_ASSIGN(const std::string type, fields.textOr("model_type", ""));
  if (type.empty()) return fields.refuse("model_type", "is missing");
  if (type != "llama")
    return fields.refuse("model_type", "the architecture \"" + type + "\" is not supported; Tidemark reads: llama",
                         ErrorCode::Unsupported);
  if (const Json* list = fields.find("architectures")) {
    if (!list->is_array()) return fields.refuse("architectures", "is not an array");
    if (std::find(list->begin(), list->end(), Json("LlamaForCausalLM")) == list->end())
      return fields.refuse("architectures", list->dump() + " is not supported; Tidemark reads: LlamaForCausalLM", ErrorCode::Unsupported);
  }
  if (fields.find("quantization_config"))
    return fields.refuse("quantization_config", "quantised Hugging Face checkpoints are not supported; use the original "
                                                "weights, or a GGUF file", ErrorCode::Unsupported);
  TIDEMARK_ASSIGN(const std::string activation, fields.textOr("hidden_act", "silu"));
  if (activation != "silu")
    return fields.refuse("hidden_act", "\"" + activation + "\" is not supported; Tidemark computes: silu", ErrorCode::Unsupported);
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
  if (!fields.find("head_dim") && config.hiddenSize % config.headCount != 0)
    return fields.refuse("hidden_size", "is not a multiple of num_attention_heads, and there is no head_dim");
  TIDEMARK_ASSIGN(config.headSize, fields.integerOr("head_dim", config.hiddenSize / config.headCount));
  return {};
}

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
  TIDEMARK_TRY(checkArchitecture(fields));
  TIDEMARK_TRY(readSizes(fields, config));
  TIDEMARK_TRY(readRope(fields, config));
  TIDEMARK_ASSIGN(config.normEpsilon, fields.numberOr("rms_norm_eps", 1e-6));  // LlamaConfig's default
  TIDEMARK_ASSIGN(config.hasTiedHead, fields.booleanOr("tie_word_embeddings", false));
  TIDEMARK_ASSIGN(config.hasAttentionBias, fields.booleanOr("attention_bias", false));
  TIDEMARK_ASSIGN(config.hasMlpBias, fields.booleanOr("mlp_bias", false));
  return config;
}

}  // namespace tidemark::weights
