#include "app/cli/run_lookup.h"

#include <filesystem>

#include "app/cli/words.h"
#include "core/base/printable.h"
#include "core/launch/agent.h"

namespace tidemark::cli {

using storage::RunRecord;
using storage::RunStatus;
using storage::RunStore;

Result<std::unique_ptr<RunStore>> openStore(const std::string& database) {
  return RunStore::open(database.empty() ? RunStore::defaultPath() : std::filesystem::path(database));
}

bool isAlive(const RunRecord& record) { return launch::isSameProcess(record.agentPid, record.agentStartTicks); }

bool isUnfinished(const RunRecord& record) {
  return record.status == RunStatus::Queued || record.status == RunStatus::Running ||
         record.status == RunStatus::Stopping;
}

bool isResumable(const RunRecord& record) {
  return record.status == RunStatus::Stopped || record.status == RunStatus::Failed || record.status == RunStatus::Lost;
}

run::ExitCode failLookup(const std::string& wanted, const Error& error, Output output) {
  const bool isAboutName = error.subject == wanted;
  if (isAboutName && error.code == ErrorCode::NotFound) return fail("there is no such run", run::Concern::Run, error, output);
  if (isAboutName && error.code == ErrorCode::InvalidInput)
    return fail("it is not clear which run is meant", run::Concern::Run, error, output);
  const bool isAboutFiles = error.code == ErrorCode::NotFound || error.code == ErrorCode::InvalidConfig;
  return fail("the run cannot be read", isAboutFiles ? run::Concern::RunFiles : run::Concern::Database, error, output);
}

Result<RunRecord> refreshed(RunStore& store, const RunRecord& record) {
  const bool wasAlive = isAlive(record);  // asked first: an agent writes its last event before it ends
  if (const auto imported = store.importNewEvents(record.id); !imported.ok()) {
    warn("newer events of run " + record.id + " were not read: " + imported.error().message());
  }
  TIDEMARK_ASSIGN(auto now, store.run(record.id));
  if (isUnfinished(now) && !wasAlive && now.agentPid > 0) {
    TIDEMARK_TRY(store.setStatus(now.id, RunStatus::Lost));
    return store.run(now.id);
  }
  return now;
}

namespace {

// Brings the runs of that name up to date, so that a list of them tells their true status.
Status refreshNamed(RunStore& store, const std::string& name) {
  TIDEMARK_ASSIGN(const auto runs, store.runs({.search = name}));
  for (const RunRecord& run : runs) {
    if (run.name != name || !isUnfinished(run)) continue;
    TIDEMARK_ASSIGN([[maybe_unused]] const auto now, refreshed(store, run));
  }
  return {};
}

}  // namespace

Result<RunRecord> findRun(RunStore& store, const std::string& wanted) {
  auto found = store.findRun(wanted);
  if (found.ok()) return refreshed(store, *found);
  if (found.error().code == ErrorCode::InvalidInput && found.error().subject == wanted) {  // several
    TIDEMARK_TRY(refreshNamed(store, wanted));
    return store.findRun(wanted).error();
  }
  std::error_code error;
  const bool isRunDirectory = std::filesystem::exists(std::filesystem::path(wanted) / "events.jsonl", error);
  if (found.error().code != ErrorCode::NotFound || !isRunDirectory) return found.error();
  TIDEMARK_ASSIGN(const auto id, store.importDirectory(wanted));
  say("The run directory " + oneLine(wanted) + " was imported into the database as run " + id + ".");
  return store.run(id);
}

}  // namespace tidemark::cli
