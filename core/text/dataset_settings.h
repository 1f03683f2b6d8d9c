// The dataset keys of a configuration as prepareDataset takes them.
#pragma once

#include "core/run/config.h"
#include "core/text/prepared_dataset.h"

namespace tidemark::text {

// `config` is one that run::validate finds nothing wrong with.
DatasetSettings datasetSettings(const run::RunConfig& config);

}  // namespace tidemark::text
