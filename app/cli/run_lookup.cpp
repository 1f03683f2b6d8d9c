#include "app/cli/run_lookup.h"

#include <filesystem>

#include "app/cli/words.h"
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

Result<RunRecord> findRun(RunStore& store, const std::string& wanted) {
  auto found = store.findRun(wanted);
  if (found.ok()) return refreshed(store, *found);
  std::error_code error;
  const bool isRunDirectory = std::filesystem::exists(std::filesystem::path(wanted) / "events.jsonl", error);
  if (found.error().code != ErrorCode::NotFound || !isRunDirectory) return found.error();
  TIDEMARK_ASSIGN(const auto id, store.importDirectory(wanted));
  say("The run directory " + wanted + " was imported into the database as run " + id + ".");
  return store.run(id);
}

}  // namespace tidemark::cli
