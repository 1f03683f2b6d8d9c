// The dataset keys of a configuration as the dataset code of the engine takes them.
#pragma once

#include "core/run/config.h"
#include "core/text/prepared_dataset.h"

namespace tidemark::ui {

text::DatasetSettings datasetSettings(const run::RunConfig& config);

}  // namespace tidemark::ui
