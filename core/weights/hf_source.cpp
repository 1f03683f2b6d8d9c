#include "core/weights/hf_source.h"

#include <set>

#include "core/weights/hub_cache.h"
#include "core/weights/mapped_source.h"
#include "core/weights/shards.h"

namespace tidemark::weights {
namespace {

class HuggingFaceSource final : public MappedSource {
 public:
  HuggingFaceSource(std::string folder, ModelConfig config, Shards shards)
      : MappedSource(folder, std::move(config)), folder_(std::move(folder)), shards_(std::move(shards)) {}

  std::string format() const override { return "safetensors"; }
  void dropPages() const override {
    for (const SafetensorsFile& file : shards_.files) file.dropPages();
  }

  Status addTensors() {
    std::set<std::string> known;
    for (const ExpectedTensor& expected : modelTensors(config())) {
      const auto found = shards_.fileOfTensor.find(expected.name);
      if (found == shards_.fileOfTensor.end())
        return Error{ErrorCode::InvalidInput, folder_, "tensor " + expected.name + ": is missing"};
      const SafetensorsFile& file = shards_.files[found->second];
      const SafetensorsEntry& entry = *file.find(expected.name);
      TIDEMARK_TRY(addTensor(expected, {entry.type, entry.shape, file.data(entry).data(), entry.bytes}, {}));
      known.insert(expected.name);
    }
    return refuseOthers(known);
  }

 private:
  // A tensor that nobody reads would change the result unnoticed. Two are known to carry nothing of their own.
  Status refuseOthers(const std::set<std::string>& known) const {
    for (const auto& [name, file] : shards_.fileOfTensor) {
      const bool isCopyOfEmbedding = config().hasTiedHead && name == "lm_head.weight";
      const bool isComputed = name.ends_with(".rotary_emb.inv_freq");
      if (!known.contains(name) && !isCopyOfEmbedding && !isComputed)
        return Error{ErrorCode::Unsupported, folder_, "tensor " + name + ": is not part of the " + std::string(architectureName(config().architecture)) + " architecture that Tidemark knows"};
    }
    return {};
  }

  std::string folder_;
  Shards shards_;
};

// The folder's name; in the hub cache, where that is a revision, the model's.
std::string modelName(const std::filesystem::path& folder) {
  std::error_code ignored;
  const auto whole = std::filesystem::weakly_canonical(folder, ignored);
  if (whole.parent_path().filename() == "snapshots")
    if (std::string name = hubModelName(whole.parent_path().parent_path().filename().string()); !name.empty()) return name;
  return whole.has_filename() ? whole.filename().string() : whole.parent_path().filename().string();
}

}  // namespace

Result<std::unique_ptr<ModelSource>> openHuggingFaceModel(const std::filesystem::path& folder) {
  TIDEMARK_ASSIGN(Shards shards, openShards(folder));
  TIDEMARK_ASSIGN(ModelConfig config, readHuggingFaceConfig(folder / "config.json"));
  TIDEMARK_TRY(checkModelConfig(config, (folder / "config.json").string()));
  config.name = modelName(folder);
  auto source = std::make_unique<HuggingFaceSource>(folder.string(), std::move(config), std::move(shards));
  TIDEMARK_TRY(source->addTensors());
  return std::unique_ptr<ModelSource>(std::move(source));
}

}  // namespace tidemark::weights
