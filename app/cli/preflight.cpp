#include "app/cli/preflight.h"

#include <unistd.h>

#include <algorithm>

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

std::vector<run::ConfigProblem> inputProblems(const run::RunConfig& config, const std::vector<run::ConfigProblem>& known) {
  const auto isKnown = [&](const std::string& beginning) {
    return std::any_of(known.begin(), known.end(), [&](const run::ConfigProblem& p) { return p.key.starts_with(beginning); });
  };
  std::vector<run::ConfigProblem> found;
  std::shared_ptr<const text::Tokenizer> tokenizer;
  if (!config.model.empty() && !isKnown("model")) {
    run::RunConfig copy = config;
    const auto model = checkModel(copy);
    if (model.ok()) tokenizer = model->tokenizer;
    // Which modules get an adapter is told with its own key.
    else if (model.error().code != ErrorCode::InvalidConfig) found.push_back({"model", model.error().message()});
    else if (!isKnown(model.error().subject)) found.push_back({model.error().subject, model.error().detail});
  }
  std::error_code failure;
  if (config.dataset.train.empty() || isKnown("dataset.")) return found;
  if (!tokenizer) {  // without one, only that a file is missing can be told
    if (!fs::exists(config.dataset.train, failure)) found.push_back({"dataset.train", config.dataset.train + ": there is no such file"});
    return found;
  }
  const fs::path scratch = fs::temp_directory_path() / ("tidemark-check-" + std::to_string(::getpid()) + ".bin");
  const auto report = text::prepareDataset(text::datasetSettings(config), *tokenizer, scratch);
  if (!report.ok()) found.push_back({"dataset", report.error().message()});
  fs::remove(scratch, failure);
  return found;
}

std::vector<run::ConfigProblem> allProblems(const run::ParsedConfig& parsed) {
  std::vector<run::ConfigProblem> all = parsed.problems;
  if (all.empty()) {
    // The usual case: a model that opens, and data that is read once, for the run itself.
    std::error_code failure;
    if (fs::exists(parsed.config.dataset.train, failure)) return {};
    run::RunConfig copy = parsed.config;
    if (checkModel(copy).ok()) return {};
  }
  for (run::ConfigProblem& problem : inputProblems(parsed.config, parsed.problems)) all.push_back(std::move(problem));
  return all;
}

}  // namespace tidemark::cli
