// tidemark-cli stop RUN: asks a run's agent to stop with a checkpoint.
#include <chrono>
#include <memory>
#include <thread>

#include "app/cli/command.h"
#include "app/cli/options.h"
#include "app/cli/run_lookup.h"
#include "app/cli/words.h"
#include "core/base/printable.h"
#include "core/launch/agent.h"

namespace tidemark::cli {
namespace {

struct Options {
  std::string run, database;
  bool isWaiting = false;
};

run::ExitCode waitForEnd(storage::RunStore& store, const storage::RunRecord& record) {
  while (isAlive(record)) std::this_thread::sleep_for(std::chrono::milliseconds(200));
  const auto now = refreshed(store, record);
  if (!now.ok()) return fail("the run's end could not be read", run::Concern::Database, now.error(), Output::Words);
  say("Run " + record.id + " is " + storage::statusName(now->status) + ".");
  return run::ExitCode::Done;
}

Error notRunning(const storage::RunRecord& record) {
  return {ErrorCode::InvalidInput, "run " + record.id,
          std::string("it is not running; it is ") + storage::statusName(record.status)};
}

run::ExitCode stop(const Options& options) {
  auto store = openStore(options.database);
  if (!store.ok()) return fail("the database cannot be opened", run::Concern::Database, store.error(), Output::Words);
  const auto record = findRun(**store, options.run);
  if (!record.ok()) return failLookup(options.run, record.error(), Output::Words);
  if (!isUnfinished(*record)) {
    return fail("nothing to stop", notRunning(*record),
                isResumable(*record) ? "`tidemark-cli resume " + oneLine(record->directory) + "` goes on with it." : "", Output::Words);
  }
  if (const auto marked = (*store)->setStatus(record->id, storage::RunStatus::Stopping); !marked.ok()) {
    warn("the database does not show that the run is stopping: " + marked.error().message());
  }
  if (const auto asked = launch::requestStop(record->agentPid, record->agentStartTicks); !asked.ok()) {
    return fail("the run could not be asked to stop", asked.error(), "`tidemark-cli show " + record->id + "` tells how it ended.",
                Output::Words);
  }
  if (options.isWaiting) return waitForEnd(**store, *record);
  say("Run " + record->id + " was asked to stop; it writes a checkpoint first.");
  return run::ExitCode::Done;
}

}  // namespace

void addStopCommand(CLI::App& app, Action& action) {
  auto options = std::make_shared<Options>();
  auto* command = app.add_subcommand("stop", "Stop a run with a checkpoint; a second time: at once");
  command->add_option("RUN", options->run, "Id, beginning of an id, name, or run directory")->required();
  command->add_flag("--wait", options->isWaiting, "Return when the run has ended");
  addDatabaseOption(*command, options->database);
  command->callback([options, &action] { action = [options] { return stop(*options); }; });
}

}  // namespace tidemark::cli
