#include "app/cli/preflight.h"

#include <algorithm>
#include <cstdlib>

#include "core/base/bytes.h"
#include "core/run/model_name.h"
#include "core/weights/hub_cache.h"

namespace tidemark::cli {
namespace fs = std::filesystem;
namespace {

constexpr int64_t kStateBytes = 12;        // float32 weight and two moments of one adapter parameter
constexpr int64_t kEventBytes = 64 << 20;  // event log and rank logs of a long run
constexpr int64_t kPreparedFactor = 6;     // prepared data against its text: ids, masks and index of short words

bool isTarget(const std::string& tensor, const std::vector<std::string>& modules) {
  if (tensor.find("_proj.weight") == std::string::npos) return false;
  return std::any_of(modules.begin(), modules.end(), [&](const std::string& module) {
    return module == "all-linear" || tensor.find("." + module + ".weight") != std::string::npos;
  });
}

int64_t sizeOf(const fs::path& path) {
  std::error_code error;
  const auto size = fs::file_size(path, error);
  return error ? 0 : static_cast<int64_t>(size);
}

bool isFraction(const std::string& text, double& value) {
  char* end = nullptr;
  value = std::strtod(text.c_str(), &end);
  return !text.empty() && end == text.c_str() + text.size();
}

}  // namespace

int64_t trainableParametersOf(const weights::ModelSource& model, const run::PeftConfig& peft) {
  int64_t count = 0;
  for (const auto& tensor : model.tensors()) {
    if (tensor.shape.size() == 2 && isTarget(tensor.name, peft.targetModules)) {
      count += peft.r * (tensor.shape[0] + tensor.shape[1]);
    }
  }
  return count;
}

Result<std::shared_ptr<const text::Tokenizer>> openTokenizer(const std::string& model) {
  TIDEMARK_ASSIGN(const auto path, weights::resolveModelPath(model));
  return text::Tokenizer::open(path);
}

Result<ModelFacts> checkModel(run::RunConfig& config) {
  TIDEMARK_ASSIGN(const auto found, weights::resolveModelPath(config.model));
  ModelFacts facts;
  facts.path = fs::absolute(found);
  TIDEMARK_ASSIGN(std::unique_ptr<weights::ModelSource> source, weights::ModelSource::open(facts.path));
  facts.name = run::modelName(facts.path.string());
  facts.format = source->format();
  facts.parameters = source->parameterCount();
  facts.trainableParameters = trainableParametersOf(*source, config.peft);
  if (facts.trainableParameters == 0) {
    return Error{ErrorCode::InvalidConfig, "peft.target_modules", "none of these modules is in the model; all-linear takes every projection"};
  }
  auto tokenizer = text::Tokenizer::open(facts.path);
  if (!tokenizer.ok()) return tokenizer.error().within("the tokenizer");
  facts.tokenizer = *tokenizer;
  facts.source = std::move(source);
  config.model = facts.path.string();
  return facts;
}

Status checkDisk(const run::RunConfig& config, const ModelFacts& model, const fs::path& directory) {
  auto existing = directory;
  std::error_code error;
  while (!fs::exists(existing, error) && existing.has_relative_path()) existing = existing.parent_path();
  const auto space = fs::space(existing, error);
  if (error) return Error{ErrorCode::Io, existing.string(), error.message()};

  const int64_t checkpoints = (config.output.keepCheckpoints + 2) * model.trainableParameters * kStateBytes;
  const int64_t data = kPreparedFactor * (sizeOf(config.dataset.train) + sizeOf(config.dataset.eval));
  const int64_t needed = checkpoints + data + kEventBytes;
  if (static_cast<int64_t>(space.available) >= needed) return {};
  return Error{ErrorCode::Io, directory.string(),
               "the run may need " + formatBytes(needed) + " (checkpoints " + formatBytes(checkpoints) +
                   ", prepared data " + formatBytes(data) + ") and the disk has " +
                   formatBytes(static_cast<int64_t>(space.available)) +
                   " left; make room, choose another output.dir, or lower output.keep_checkpoints"};
}

text::DatasetSettings datasetSettings(const run::RunConfig& config) {
  const auto& dataset = config.dataset;
  text::DatasetSettings settings;
  settings.train = dataset.train;
  double fraction = 0;
  if (isFraction(dataset.eval, fraction)) {
    settings.evalFraction = fraction;
  } else {
    settings.eval = dataset.eval;
  }
  settings.format = dataset.format == "messages"            ? text::DatasetFormat::Messages
                    : dataset.format == "alpaca"            ? text::DatasetFormat::Alpaca
                    : dataset.format == "prompt-completion" ? text::DatasetFormat::PromptCompletion
                                                            : text::DatasetFormat::Auto;
  settings.maxSequenceLength = dataset.maxSeqLength;
  settings.trainOn = dataset.trainOn == "all" ? text::TrainOn::All : text::TrainOn::Assistant;
  settings.truncation = dataset.truncation == "truncate" ? text::Truncation::Truncate
                        : dataset.truncation == "error"  ? text::Truncation::Error
                                                         : text::Truncation::Drop;
  settings.seed = static_cast<uint64_t>(config.training.seed);
  return settings;
}

}  // namespace tidemark::cli
