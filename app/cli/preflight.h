// What is checked before a run exists: the model opens, its tokenizer opens, the disk and the port suffice.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "core/base/result.h"
#include "core/run/config.h"
#include "core/text/prepared_dataset.h"
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

// Adapter weights that the configuration trains in this model.
int64_t trainableParametersOf(const weights::ModelSource& model, const run::PeftConfig& peft);

// Room for prepared data, checkpoints and adapter, where the run directory will be.
Status checkDisk(const run::RunConfig& config, const ModelFacts& model, const std::filesystem::path& directory);

text::DatasetSettings datasetSettings(const run::RunConfig& config);

}  // namespace tidemark::cli
