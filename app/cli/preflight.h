// What is checked before a run exists: the model opens, its tokenizer opens, the disk and the port suffice.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/run/config.h"
#include "core/text/dataset_settings.h"
#include "core/text/tokenizer.h"
#include "core/weights/model_source.h"

namespace tidemark::cli {

struct ModelFacts {
  std::filesystem::path path;  // absolute
  std::string name, format;
  std::shared_ptr<const weights::ModelSource> source;
  int64_t parameters = 0;
  int64_t trainableParameters = 0;
  std::shared_ptr<const text::Tokenizer> tokenizer;
};

// `model`: a path, or org/name in the hub cache.
Result<std::shared_ptr<const text::Tokenizer>> openTokenizer(const std::string& model);

// Sets config.model to the resolved path. Reads no weights.
Result<ModelFacts> checkModel(run::RunConfig& config);

// What is wrong with the model and the data that a configuration names, as far as it can be told beside the problems that are
// `known`: so that a person hears of everything at once. Reads the whole dataset where the model's tokenizer opens.
std::vector<run::ConfigProblem> inputProblems(const run::RunConfig& config, const std::vector<run::ConfigProblem>& known);

// The problems of a configuration with those of its model and data; none where only one of its inputs is unfit, which is told
// in its own words when it is opened.
std::vector<run::ConfigProblem> allProblems(const run::ParsedConfig& parsed);

// Adapter weights that the configuration trains in this model.
int64_t trainableParametersOf(const weights::ModelSource& model, const run::PeftConfig& peft);

// Room for prepared data, checkpoints and adapter, where the run directory will be.
Status checkDisk(const run::RunConfig& config, const ModelFacts& model, const std::filesystem::path& directory);

}  // namespace tidemark::cli
