// A GGUF file (versions 2 and 3, little endian): its metadata and its table of tensors, checked completely on opening.
// Knows nothing of architectures; see model_source.h for that. Format: ggml's docs/gguf.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/weights/tensor_type.h"

namespace tidemark::weights {

struct GgufTensor {
  std::string name;
  std::vector<int64_t> shape;  // row-major, as in PyTorch: the reverse of GGUF's order
  TensorType type = TensorType::F32;
  uint64_t offset = 0;         // from the beginning of the file
  uint64_t bytes = 0;
};

// Safe to read from several threads. Move-only; the file stays mapped while it lives.
class GgufFile {
 public:
  static Result<GgufFile> open(const std::filesystem::path& path);
  GgufFile(GgufFile&&) noexcept;
  GgufFile& operator=(GgufFile&&) noexcept;
  ~GgufFile();

  const std::filesystem::path& path() const;

  // Metadata. NotFound if there is no such key; InvalidInput if its value is of another type or out of range.
  bool has(std::string_view key) const;
  std::vector<std::string> keys() const;  // in the file's order
  Result<std::string> string(std::string_view key) const;
  Result<int64_t> integer(std::string_view key) const;  // any of GGUF's integer types
  Result<double> number(std::string_view key) const;    // float or integer
  Result<bool> boolean(std::string_view key) const;
  Result<std::vector<std::string>> strings(std::string_view key) const;
  Result<std::vector<int64_t>> integers(std::string_view key) const;
  Result<std::vector<float>> floats(std::string_view key) const;

  const std::vector<GgufTensor>& tensors() const;
  const GgufTensor* find(std::string_view name) const;
  std::span<const std::byte> data(const GgufTensor& tensor) const;
  void dropPages() const;

 private:
  struct State;
  explicit GgufFile(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace tidemark::weights
