#include "core/weights/model_source.h"

#include <algorithm>

#include "core/weights/gguf_source.h"
#include "core/weights/hf_source.h"

namespace tidemark::weights {
namespace fs = std::filesystem;

Result<std::unique_ptr<ModelSource>> ModelSource::open(const fs::path& path) {
  std::error_code failure;
  const fs::file_status status = fs::status(path, failure);
  if (!fs::exists(status)) return Error{ErrorCode::NotFound, path.string(), "there is no such file or folder"};
  if (fs::is_directory(status)) return openHuggingFaceModel(path);
  const std::string suffix = path.extension().string();
  if (suffix == ".bin" || suffix == ".pt" || suffix == ".pth" || suffix == ".ckpt")
    return Error{ErrorCode::Unsupported, path.string(),
                 "is a file of pickled weights, which can run code when it is read; convert to safetensors"};
  if (suffix == ".safetensors" || path.filename() == "config.json")
    return Error{ErrorCode::InvalidInput, path.string(), "give the folder that holds it, with config.json beside the weights"};
  return openGgufModel(path);
}

const TensorInfo* ModelSource::find(std::string_view tensor) const {
  const auto& all = tensors();
  const auto found = std::find_if(all.begin(), all.end(), [&](const TensorInfo& info) { return info.name == tensor; });
  return found == all.end() ? nullptr : &*found;
}

RowFormat ModelSource::storedFormat(std::string_view tensor) const {
  const TensorInfo* info = find(tensor);
  return info ? RowFormat::float32(info->shape.back()) : RowFormat();
}

Status ModelSource::copyRows(std::string_view tensor, int64_t rowBegin, int64_t rowEnd, std::byte* out) const {
  return readRowsAs(storedFormat(tensor), tensor, rowBegin, rowEnd, out);
}

Status ModelSource::readRowsAs(const RowFormat& format, std::string_view tensor, int64_t rowBegin, int64_t rowEnd,
                               std::byte* out) const {
  if (format.isStored() && !format.isFloat32()) return copyRows(tensor, rowBegin, rowEnd, out);
  const bool isAligned = reinterpret_cast<uintptr_t>(out) % alignof(float) == 0;
  if (format.isFloat32() && isAligned) return readRows(tensor, rowBegin, rowEnd, reinterpret_cast<float*>(out));
  constexpr int64_t kRowsAtOnce = 256;
  std::vector<float> values(static_cast<size_t>(std::min(kRowsAtOnce, rowEnd - rowBegin) * format.columns()));
  for (int64_t begin = rowBegin; begin < rowEnd; begin += kRowsAtOnce) {
    const int64_t end = std::min(rowEnd, begin + kRowsAtOnce);
    TIDEMARK_TRY(readRows(tensor, begin, end, values.data()));
    format.encode(values.data(), end - begin, out);
    out += (end - begin) * format.rowBytes();
  }
  return {};
}

std::optional<WeightForm> weightForm(std::string_view name) {
  if (name == "float32") return WeightForm::Float32;
  if (name == "stored") return WeightForm::Stored;
  if (name == "int8") return WeightForm::Int8;
  if (name == "nf4") return WeightForm::Nf4;
  return std::nullopt;
}

RowFormat formatFor(WeightForm form, const ModelSource& source, std::string_view tensor) {
  const RowFormat stored = source.storedFormat(tensor);
  switch (form) {
    case WeightForm::Float32: return RowFormat::float32(stored.columns());
    case WeightForm::Stored: return stored;
    case WeightForm::Int8: return RowFormat::int8(stored.columns());
    case WeightForm::Nf4: return RowFormat::nf4(stored.columns());
  }
  return stored;
}

int64_t ModelSource::parameterCount() const {
  int64_t count = 0;
  for (const TensorInfo& info : tensors()) {
    int64_t elements = 1;
    for (const int64_t dimension : info.shape) elements *= dimension;
    count += elements;
  }
  return count;
}

}  // namespace tidemark::weights
