#include "core/peft/adapter_file.h"

#include <ATen/Functions.h>

#include <cstring>

#include "core/base/file.h"
#include "core/base/json.h"
#include "core/weights/safetensors.h"
#include "core/weights/safetensors_writer.h"

namespace tidemark::peft {
namespace fs = std::filesystem;

namespace {

constexpr const char* kPrefix = "base_model.model.";
constexpr const char* kWeights = "adapter_model.safetensors";
constexpr const char* kConfig = "adapter_config.json";

// Keys of PEFT's LoraConfig that change what is computed, or which tensors there are, once they are set.
constexpr const char* kOtherKinds[] = {"use_dora", "use_rslora", "use_qalora", "use_bdlora", "fan_in_fan_out", "lora_bias",
                                       "rank_pattern", "alpha_pattern", "alora_invocation_tokens", "modules_to_save",
                                       "trainable_token_indices", "target_parameters", "layer_replication", "arrow_config",
                                       "velora_config", "monteclora_config"};

bool isSet(const Json& value) {
  if (value.is_boolean()) return value.get<bool>();
  return value.is_structured() ? !value.empty() : !value.is_null();
}

std::string shapeText(const std::vector<int64_t>& shape) {
  std::string text = "[";
  for (size_t i = 0; i < shape.size(); ++i) text += (i ? ", " : "") + std::to_string(shape[i]);
  return text + "]";
}

Status writeNamed(const fs::path& file, const TrainableState& state, const at::Tensor& buffer, const std::string& prefix) {
  const at::Tensor host = buffer.to(at::kCPU).contiguous();
  std::vector<weights::TensorToWrite> tensors;
  for (const TrainableState::Entry& entry : state.entries())
    tensors.push_back({prefix + entry.name, entry.shape,
                       {host.const_data_ptr<float>() + entry.offset, static_cast<size_t>(entry.shape[0] * entry.shape[1])}});
  return weights::writeSafetensors(file, tensors, {{"format", "pt"}});
}

Status readNamed(const fs::path& file, const TrainableState& state, at::Tensor& buffer, const std::string& prefix) {
  TIDEMARK_ASSIGN(const weights::LoadedSafetensors loaded, weights::readSafetensors(file));
  at::Tensor host = at::empty({state.parameterCount()}, at::kFloat);
  for (const TrainableState::Entry& entry : state.entries()) {
    const auto found = loaded.tensors.find(prefix + entry.name);
    if (found == loaded.tensors.end())
      return Error{ErrorCode::InvalidInput, file.string(), "has no tensor " + prefix + entry.name + ", which this configuration's adapter has"};
    if (found->second.shape != entry.shape)
      return Error{ErrorCode::InvalidInput, file.string(),
                   prefix + entry.name + " has shape " + shapeText(found->second.shape) + " where " + shapeText(entry.shape) +
                       " is needed; the adapter was made with another r or for another model"};
    std::memcpy(host.mutable_data_ptr<float>() + entry.offset, found->second.values.data(), found->second.values.size() * sizeof(float));
  }
  if (loaded.tensors.size() != state.entries().size())
    for (const auto& [name, tensor] : loaded.tensors) {
      bool isKnown = false;
      for (const TrainableState::Entry& entry : state.entries()) isKnown = isKnown || prefix + entry.name == name;
      if (!isKnown)
        return Error{ErrorCode::InvalidInput, file.string(), "holds " + name + ", which this configuration's adapter has not"};
    }
  buffer.copy_(host);
  return {};
}

}  // namespace

Status writeAdapter(const fs::path& folder, const TrainableState& state, const AdapterInfo& info) {
  TIDEMARK_TRY(writeNamed(folder / kWeights, state, state.parameters, kPrefix));
  const LoraSettings& lora = info.lora;
  Json targets = Json::array();
  if (lora.targets == std::vector<std::string>{"all-linear"})
    targets = {"q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"};
  else targets = lora.targets;
  const Json config{{"peft_type", "LORA"}, {"task_type", "CAUSAL_LM"}, {"base_model_name_or_path", info.baseModel},
                    {"r", lora.r}, {"lora_alpha", lora.alpha}, {"lora_dropout", lora.dropout}, {"bias", "none"},
                    {"target_modules", targets}, {"fan_in_fan_out", false}, {"inference_mode", true},
                    {"init_lora_weights", true}, {"use_rslora", false}, {"use_dora", false}, {"modules_to_save", nullptr},
                    {"rank_pattern", Json::object()}, {"alpha_pattern", Json::object()}};
  return writeFileAtomically(folder / kConfig, config.dump(2) + "\n");
}

Result<AdapterInfo> readAdapterInfo(const fs::path& folder) {
  const std::string file = (folder / kConfig).string();
  TIDEMARK_ASSIGN(const std::string text, readFile(file, 1 << 20));
  TIDEMARK_ASSIGN(const Json config, parseJson(text, file));
  const auto bad = [&](const std::string& what) { return Error{ErrorCode::Unsupported, file, what}; };
  if (!config.is_object() || !config.contains("peft_type") || config["peft_type"] != "LORA")
    return bad("is not the configuration of a LoRA adapter (peft_type)");
  for (const char* key : kOtherKinds)
    if (config.contains(key) && isSet(config[key])) return bad(std::string(key) + " is not supported");
  if (config.contains("bias") && config["bias"] != "none") return bad("bias other than none is not supported");
  AdapterInfo info;
  try {
    info.lora.r = config.at("r").get<int64_t>();
    info.lora.alpha = config.at("lora_alpha").get<double>();
    info.lora.dropout = config.value("lora_dropout", 0.0);
    const Json& targets = config.at("target_modules");
    info.lora.targets = targets.is_string() ? std::vector<std::string>{targets.get<std::string>()} : targets.get<std::vector<std::string>>();
    if (config.contains("base_model_name_or_path") && config["base_model_name_or_path"].is_string())
      info.baseModel = config["base_model_name_or_path"];
  } catch (const Json::exception&) {
    return Error{ErrorCode::InvalidInput, file, "needs r, lora_alpha and target_modules"};
  }
  if (info.lora.r < 1) return Error{ErrorCode::InvalidInput, file, "r is " + std::to_string(info.lora.r) + ", not at least 1"};
  return info;
}

Status loadAdapter(const fs::path& folder, TrainableState& state) {
  return readNamed(folder / kWeights, state, state.parameters, kPrefix);
}

Status writeBuffer(const fs::path& file, const TrainableState& state, const at::Tensor& buffer) {
  return writeNamed(file, state, buffer, "");
}

Status readBuffer(const fs::path& file, const TrainableState& state, at::Tensor& buffer) {
  return readNamed(file, state, buffer, "");
}

}  // namespace tidemark::peft
