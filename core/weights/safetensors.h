// A safetensors file: its header, checked completely on opening, and its tensors where they lie in the mapped file.
// Format: huggingface.co/docs/safetensors. Writing is in safetensors_writer.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/file.h"
#include "core/base/result.h"
#include "core/weights/tensor_type.h"

namespace tidemark::weights {

struct SafetensorsEntry {
  std::string name;
  std::vector<int64_t> shape;  // row-major; empty for a scalar
  TensorType type = TensorType::F32;
  uint64_t offset = 0;         // from the beginning of the file
  uint64_t bytes = 0;
};

class SafetensorsFile {
 public:
  static Result<SafetensorsFile> open(const std::filesystem::path& path);

  const std::filesystem::path& path() const { return path_; }
  const std::map<std::string, std::string>& metadata() const { return metadata_; }  // "__metadata__"
  const std::vector<SafetensorsEntry>& tensors() const { return tensors_; }         // in the order of their data
  const SafetensorsEntry* find(std::string_view name) const;
  std::span<const std::byte> data(const SafetensorsEntry& entry) const;
  void dropPages() const { file_.dropPages(); }

 private:
  std::filesystem::path path_;
  MappedFile file_;
  std::map<std::string, std::string> metadata_;
  std::vector<SafetensorsEntry> tensors_;
  std::map<std::string, size_t, std::less<>> index_;
};

struct LoadedTensor {
  std::vector<int64_t> shape;
  std::vector<float> values;
};

struct LoadedSafetensors {
  std::map<std::string, std::string> metadata;
  std::map<std::string, LoadedTensor> tensors;
};

// The whole file as float32 (F16 and BF16 are widened); meant for adapters and checkpoints, not for whole models.
Result<LoadedSafetensors> readSafetensors(const std::filesystem::path& path);

}  // namespace tidemark::weights
