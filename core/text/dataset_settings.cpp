#include "core/text/dataset_settings.h"

#include <cstdlib>

namespace tidemark::text {

DatasetSettings datasetSettings(const run::RunConfig& config) {
  const run::DatasetConfig& dataset = config.dataset;
  DatasetSettings settings;
  settings.train = dataset.train;
  char* end = nullptr;
  const double fraction = std::strtod(dataset.eval.c_str(), &end);
  const bool isFraction = !dataset.eval.empty() && end == dataset.eval.c_str() + dataset.eval.size();
  if (isFraction) settings.evalFraction = fraction;
  else settings.eval = dataset.eval;
  if (dataset.format == "messages") settings.format = DatasetFormat::Messages;
  if (dataset.format == "alpaca") settings.format = DatasetFormat::Alpaca;
  if (dataset.format == "prompt-completion") settings.format = DatasetFormat::PromptCompletion;
  settings.maxSequenceLength = dataset.maxSeqLength;
  settings.trainOn = dataset.trainOn == "all" ? TrainOn::All : TrainOn::Assistant;
  if (dataset.truncation == "truncate") settings.truncation = Truncation::Truncate;
  if (dataset.truncation == "error") settings.truncation = Truncation::Error;
  settings.seed = static_cast<uint64_t>(config.training.seed);
  return settings;
}

}  // namespace tidemark::text
