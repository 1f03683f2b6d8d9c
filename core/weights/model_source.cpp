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
