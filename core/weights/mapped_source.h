// A ModelSource whose tensors lie in mapped files: finds a tensor's rows and turns them into float32. What the file
// formats have in common; internal to weights.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/weights/model_tensors.h"
#include "core/weights/model_source.h"
#include "core/weights/tensor_type.h"

namespace tidemark::weights {

// Where a file keeps a tensor.
struct StoredTensor {
  TensorType type = TensorType::F32;
  std::vector<int64_t> shape;
  const std::byte* data = nullptr;
  uint64_t bytes = 0;
};

class MappedSource : public ModelSource {
 public:
  const ModelConfig& config() const override { return config_; }
  const std::vector<TensorInfo>& tensors() const override { return infos_; }
  Status readRows(std::string_view tensor, int64_t rowBegin, int64_t rowEnd, float* out) const override;
  RowFormat storedFormat(std::string_view tensor) const override;
  Status copyRows(std::string_view tensor, int64_t rowBegin, int64_t rowEnd, std::byte* out) const override;

 protected:
  MappedSource(std::string subject, ModelConfig config) : subject_(std::move(subject)), config_(std::move(config)) {}
  // What a file format does to a tensor, undone when it is read.
  struct Translation {
    int64_t interleavedHeads = 0;  // see Note: interleaved rows
    float offset = 0;              // was added to every element
  };
  // Adds one tensor of the architecture after comparing its shape.
  Status addTensor(const ExpectedTensor& expected, const StoredTensor& stored, const Translation& translation);

 private:
  struct Place {
    StoredTensor stored;
    int64_t rows = 0, columns = 0;
    Translation translation;
  };
  RowFormat formatOf(const Place& place) const { return RowFormat::stored(place.stored.type, place.columns); }
  // Calls `take(first stored row, count)` for stretches that lie one after the other in the file.
  template <typename Take>
  void eachStretch(const Place& place, int64_t rowBegin, int64_t rowEnd, const Take& take) const;
  Result<const Place*> placeOf(std::string_view tensor, int64_t rowBegin, int64_t rowEnd) const;

  std::string subject_;
  ModelConfig config_;
  std::vector<TensorInfo> infos_;
  std::map<std::string, Place, std::less<>> places_;
};

}  // namespace tidemark::weights
