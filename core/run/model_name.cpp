#include "core/run/model_name.h"

#include <filesystem>

namespace tidemark::run {
namespace fs = std::filesystem;

std::string modelName(const std::string& model) {
  fs::path path(model);
  if (path.is_relative()) return model.ends_with(".gguf") ? path.stem().string() : model;
  if (!path.has_filename()) path = path.parent_path();  // "folder/"
  // The hub cache: models--ORG--NAME/snapshots/COMMIT.
  const std::string repository = path.parent_path().parent_path().filename().string(), prefix = "models--";
  if (path.parent_path().filename() == "snapshots" && repository.starts_with(prefix)) {
    std::string name = repository.substr(prefix.size());
    if (const size_t cut = name.find("--"); cut != std::string::npos) name.replace(cut, 2, "/");
    return name;
  }
  return (path.extension() == ".gguf" ? path.stem() : path.filename()).string();
}

}  // namespace tidemark::run
