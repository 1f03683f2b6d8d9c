// PEFT adapter directories: adapter_config.json and adapter_model.safetensors, as PEFT itself writes and reads them.
#pragma once

#include <filesystem>
#include <string>

#include "core/base/result.h"
#include "core/peft/lora.h"
#include "core/peft/trainable_state.h"

namespace tidemark::peft {

struct AdapterInfo {
  LoraSettings lora;
  std::string baseModel;
};

// Writes both files into an existing folder, fsynced.
Status writeAdapter(const std::filesystem::path& folder, const TrainableState& state, const AdapterInfo& info);

// adapter_config.json. Kinds other than plain LoRA are refused by name.
Result<AdapterInfo> readAdapterInfo(const std::filesystem::path& folder);

// Fills the parameters from adapter_model.safetensors. A tensor that is missing, left over or of another shape is an
// error that names it and both shapes.
Status loadAdapter(const std::filesystem::path& folder, TrainableState& state);

// A flat buffer of the state (moments, for instance) under the entries' names.
Status writeBuffer(const std::filesystem::path& file, const TrainableState& state, const at::Tensor& buffer);
Status readBuffer(const std::filesystem::path& file, const TrainableState& state, at::Tensor& buffer);

}  // namespace tidemark::peft
