// One run from its start to its end, as `run` and `resume` share it: agent, database, progress, reports, last words.
#pragma once

#include "app/cli/output.h"
#include "core/launch/agent.h"
#include "storage/run_store.h"

namespace tidemark::cli {

// `store` may be empty. Prints the run's events (Json) or progress and a summary (Words).
run::ExitCode supervise(const launch::AgentSettings& settings, storage::RunStore* store, Output output);

}  // namespace tidemark::cli
