// Finds runs in the database, brought up to date with their run directories first.
#pragma once

#include <memory>
#include <string>

#include "app/cli/output.h"
#include "core/run/exit_code.h"
#include "storage/run_store.h"

namespace tidemark::cli {

Result<std::unique_ptr<storage::RunStore>> openStore(const std::string& database);  // empty: the default one

// By id, name, directory or the beginning of an id; a run directory that is not in the database yet is imported, and said.
Result<storage::RunRecord> findRun(storage::RunStore& store, const std::string& wanted);

// Imports what the run's events.jsonl has more, and marks a run as lost whose agent is gone without a word.
Result<storage::RunRecord> refreshed(storage::RunStore& store, const storage::RunRecord& record);

bool isAlive(const storage::RunRecord& record);
bool isUnfinished(const storage::RunRecord& record);  // running, or on its way to stop
bool isResumable(const storage::RunRecord& record);   // ended, but not done

// Says why findRun(wanted) gave none. Returns the exit code.
run::ExitCode failLookup(const std::string& wanted, const Error& error, Output output);

}  // namespace tidemark::cli
