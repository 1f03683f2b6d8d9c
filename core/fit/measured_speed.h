// What the machine reached in an earlier run, from that run's operators: the speed for predictions of others.
#pragma once

#include <optional>
#include <vector>

#include "core/fit/machine.h"
#include "core/run/config.h"
#include "core/run/event.h"
#include "core/weights/model_source.h"

namespace tidemark::fit {

struct MeasuredSpeed {
  Figure operationsPerSecond, bytesPerSecond;  // Measured; the second is Unknown where nothing was gathered
};

// `operators`: of one rank, as the run announced them; `model`: the one it trained. Nothing where they do not go together.
std::optional<MeasuredSpeed> speedOf(const weights::ModelSource& model, const run::RunConfig& config,
                                     const std::vector<run::OperatorEvent>& operators);

}  // namespace tidemark::fit
