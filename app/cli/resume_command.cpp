// tidemark-cli resume RUN: goes on from the run's last checkpoint, with the configuration it was started with.
#include <filesystem>
#include <memory>

#include "app/cli/beside.h"
#include "app/cli/command.h"
#include "app/cli/options.h"
#include "app/cli/run_lookup.h"
#include "app/cli/supervision.h"
#include "app/cli/words.h"
#include "core/text/prepared_dataset.h"
#include "core/weights/model_source.h"

namespace tidemark::cli {
namespace {

struct Options {
  std::string run, database;
  Output output = Output::Words;
};

Status checkResumable(const storage::RunRecord& record) {
  const std::string subject = "run " + record.id;
  if (isUnfinished(record) && isAlive(record)) return Error{ErrorCode::Busy, subject, "it is running already"};
  if (record.status == storage::RunStatus::Completed) {
    return Error{ErrorCode::InvalidInput, subject, "it is completed; start a new run to train further"};
  }
  return {};
}

Result<run::RunConfig> configOf(const storage::RunRecord& record) {
  const auto directory = std::filesystem::path(record.directory);
  TIDEMARK_ASSIGN(auto parsed, run::loadConfig((directory / "config.yaml").string(), {}));
  if (!parsed.problems.empty()) {
    const auto& first = parsed.problems.front();
    return Error{ErrorCode::InvalidConfig, (directory / "config.yaml").string(), first.key + ": " + first.what};
  }
  TIDEMARK_ASSIGN([[maybe_unused]] const auto data, text::PreparedDataset::open(directory / "data.bin"));
  TIDEMARK_ASSIGN([[maybe_unused]] const auto model, weights::ModelSource::open(parsed.config.model));
  return parsed.config;
}

run::ExitCode resume(const Options& options) {
  auto store = openStore(options.database);
  if (!store.ok()) return refuse("the database cannot be opened", store.error(), options.output);
  const auto record = findRun(**store, options.run);
  if (!record.ok()) return refuse("there is no such run", record.error(), options.output);
  if (const auto status = checkResumable(*record); !status.ok()) {
    return refuse("the run cannot be resumed", status.error(), options.output);
  }
  const auto config = configOf(*record);
  if (!config.ok()) return refuse("the run cannot be resumed", config.error(), options.output);
  const auto worker = programBeside("tidemark-worker");
  if (!worker.ok()) return refuse("the training engine is missing", worker.error(), options.output);

  launch::AgentSettings settings;
  settings.runId = record->id;
  settings.name = record->name;
  settings.directory = record->directory;
  settings.worker = *worker;
  settings.config = *config;
  settings.isResume = true;
  if (options.output == Output::Words) say("Run " + record->id + " goes on in " + record->directory);
  return supervise(settings, store->get(), options.output);
}

}  // namespace

void addResumeCommand(CLI::App& app, Action& action) {
  auto options = std::make_shared<Options>();
  auto* command = app.add_subcommand("resume", "Go on with a run from its last checkpoint");
  command->add_option("RUN", options->run, "Id, beginning of an id, name, or run directory")->required();
  addDatabaseOption(*command, options->database);
  addJsonFlag(*command, options->output);
  command->callback([options, &action] { action = [options] { return resume(*options); }; });
}

}  // namespace tidemark::cli
