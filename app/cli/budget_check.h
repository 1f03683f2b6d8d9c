// Judges memory.budget before a run exists: whether the least that the engine can work with fits, and what would fit if not.
#pragma once

#include "core/base/result.h"
#include "core/run/config.h"
#include "core/text/prepared_dataset.h"
#include "core/weights/model_source.h"

namespace tidemark::cli {

// OutOfMemory with the bytes needed and what would fit. An automatic budget is judged by what the machine has free now;
// that of an accelerator is the engine's to judge.
Status checkBudget(const run::RunConfig& config, const weights::ModelSource& model, const text::PreparedDataset& data);

// The same for the policy that needs least, whichever the configuration names.
Status checkAnyPolicy(run::RunConfig config, const weights::ModelSource& model, const text::PreparedDataset& data);

}  // namespace tidemark::cli
