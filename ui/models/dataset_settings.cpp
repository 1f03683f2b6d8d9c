#include "ui/models/dataset_settings.h"

#include <QString>

namespace tidemark::ui {

text::DatasetSettings datasetSettings(const run::RunConfig& config) {
  const run::DatasetConfig& dataset = config.dataset;
  text::DatasetSettings settings;
  settings.train = dataset.train;
  bool isFraction = false;
  const double fraction = QString::fromStdString(dataset.eval).toDouble(&isFraction);
  if (isFraction) settings.evalFraction = fraction;
  else settings.eval = dataset.eval;
  if (dataset.format == "messages") settings.format = text::DatasetFormat::Messages;
  if (dataset.format == "alpaca") settings.format = text::DatasetFormat::Alpaca;
  if (dataset.format == "prompt-completion") settings.format = text::DatasetFormat::PromptCompletion;
  settings.maxSequenceLength = dataset.maxSeqLength;
  settings.trainOn = dataset.trainOn == "all" ? text::TrainOn::All : text::TrainOn::Assistant;
  if (dataset.truncation == "truncate") settings.truncation = text::Truncation::Truncate;
  if (dataset.truncation == "error") settings.truncation = text::Truncation::Error;
  settings.seed = static_cast<uint64_t>(config.training.seed);
  return settings;
}

}  // namespace tidemark::ui
