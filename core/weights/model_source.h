// A pretrained model on disk: its configuration and its tensors, readable row by row as float32.
// Opening checks everything (every shard is there, every tensor that the architecture needs has its shape), reads no
// weights. Not responsible for tokenizers or for memory: callers bring the buffers.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/weights/model_config.h"
#include "core/weights/row_format.h"

namespace tidemark::weights {

struct TensorInfo {
  std::string name;            // Hugging Face's name
  std::vector<int64_t> shape;  // row-major; [rows, columns] for matrices, [size] for vectors
  std::string storedType;      // as the file says: "F32", "BF16", "Q4_1", ...
  uint64_t storedBytes = 0;
};

class ModelSource {
 public:
  // `path`: a GGUF file, or a Hugging Face directory. `org/name` is resolved by the caller (see hub_cache.h).
  static Result<std::unique_ptr<ModelSource>> open(const std::filesystem::path& path);
  virtual ~ModelSource() = default;

  virtual const ModelConfig& config() const = 0;
  virtual const std::vector<TensorInfo>& tensors() const = 0;
  virtual std::string format() const = 0;  // "gguf" or "safetensors"

  // Rows [rowBegin, rowEnd) of a matrix (elements of a vector: columns = 1) as float32 into `out`, in Hugging Face's row order
  // (GGUF stores q_proj and k_proj of Llama permuted for interleaved RoPE; this undoes it).
  virtual Status readRows(std::string_view tensor, int64_t rowBegin, int64_t rowEnd, float* out) const = 0;
  // How the file keeps the rows of a matrix, and rows [rowBegin, rowEnd) as it keeps them, one after the other.
  virtual RowFormat storedFormat(std::string_view tensor) const;
  virtual Status copyRows(std::string_view tensor, int64_t rowBegin, int64_t rowEnd, std::byte* out) const;
  // The same rows in any format.
  Status readRowsAs(const RowFormat& format, std::string_view tensor, int64_t rowBegin, int64_t rowEnd, std::byte* out) const;
  // Lets the kernel drop the pages read so far; call after loading.
  virtual void dropPages() const = 0;

  const TensorInfo* find(std::string_view tensor) const;
  int64_t parameterCount() const;
};

// In which form a run holds frozen weights: memory.weights of the configuration.
enum class WeightForm { Float32, Stored, Int8, Nf4 };
std::optional<WeightForm> weightForm(std::string_view name);  // "float32", "stored", "int8", "nf4"
RowFormat formatFor(WeightForm form, const ModelSource& source, std::string_view tensor);

}  // namespace tidemark::weights
