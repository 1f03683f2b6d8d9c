#include "core/weights/gguf_source.h"

#include <set>

#include "core/weights/mapped_source.h"

namespace tidemark::weights {
namespace {

class GgufSource final : public MappedSource {
 public:
  GgufSource(GgufFile file, ModelConfig config) : MappedSource(file.path().string(), std::move(config)), file_(std::move(file)) {}

  std::string format() const override { return "gguf"; }
  void dropPages() const override { file_.dropPages(); }

  // Every tensor of the architecture, and no other: one that nobody reads would change the result unnoticed.
  Status addTensors() {
    std::set<std::string> known{"rope_freqs.weight"};
    for (const ExpectedTensor& expected : modelTensors(config())) {
      const GgufTensor* found = file_.find(expected.ggufName);
      if (!found)
        return Error{ErrorCode::InvalidInput, file_.path().string(), "tensor " + expected.ggufName + ": is missing"};
      TIDEMARK_TRY(addTensor(expected, {found->type, found->shape, file_.data(*found).data(), found->bytes},
                             {expected.interleavedHeads, expected.ggufOffset}));
      known.insert(expected.ggufName);
    }
    for (const GgufTensor& tensor : file_.tensors())
      if (!known.contains(tensor.name))
        return Error{ErrorCode::Unsupported, file_.path().string(),
                     "tensor " + tensor.name + ": is not part of the " + std::string(architectureName(config().architecture)) + " architecture that Tidemark knows"};
    return {};
  }

 private:
  GgufFile file_;
};

}  // namespace

Result<std::unique_ptr<ModelSource>> openGgufModel(const std::filesystem::path& path) {
  TIDEMARK_ASSIGN(GgufFile file, GgufFile::open(path));
  TIDEMARK_ASSIGN(ModelConfig config, ggufModelConfig(file));
  TIDEMARK_TRY(checkModelConfig(config, path.string()));
  auto source = std::make_unique<GgufSource>(std::move(file), std::move(config));
  TIDEMARK_TRY(source->addTensors());
  return std::unique_ptr<ModelSource>(std::move(source));
}

}  // namespace tidemark::weights
