// Rows of the table "runs" to and from RunRecord.
#pragma once

#include <string>

#include "storage/database.h"
#include "storage/run_store.h"

namespace tidemark::storage {

#define TIDEMARK_RUN_COLUMNS                                                                                              \
  "id, name, directory, status, model, model_format, dataset, policy, ranks, agent_pid, agent_start_ticks, created_at, "  \
  "finished_at, step, max_steps, loss, eval_loss, tokens_per_second, seconds_per_step, peak_bytes, budget_bytes, "        \
  "remote_bytes_per_iteration, exit_code, message, adapter, config_yaml, parameters, trainable_parameters, sweep, sweep_point"

void bindRun(Query& query, const RunRecord& run);  // in the order of TIDEMARK_RUN_COLUMNS
RunRecord readRun(Query& query);
RunStatus statusFromName(const std::string& name);

// Events name a run's files where they were written. A run directory may have been moved or copied since: the path of what
// `recorded` names by the run directory's own layout (`place`: "adapter", or "checkpoints" for what lies in it), where
// `directory` is now. Any other path stays.
std::string placeInRun(const std::string& recorded, const std::string& place, const std::string& directory);

// The row number behind a run's id; NotFound if there is none.
Result<int64_t> runNumber(Database& database, const std::string& id);

}  // namespace tidemark::storage
