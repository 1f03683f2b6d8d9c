// tidemark-cli resume RUN: goes on from the run's last checkpoint, with the configuration it was started with.
#include <filesystem>
#include <memory>

#include "app/cli/beside.h"
#include "app/cli/budget_check.h"
#include "app/cli/command.h"
#include "app/cli/options.h"
#include "app/cli/run_lookup.h"
#include "app/cli/supervision.h"
#include "app/cli/words.h"
#include "core/base/counted.h"
#include "core/base/printable.h"
#include "core/text/prepared_dataset.h"
#include "core/weights/model_source.h"

namespace tidemark::cli {
namespace {

struct Options {
  std::string run, database;
  Output output = Output::Words;
};

run::ExitCode refuseRunning(const storage::RunRecord& record, Output output) {
  const Error error{ErrorCode::Busy, "run " + record.id, "it is running already"};
  return refuse("the run cannot be resumed", error, "`tidemark-cli stop " + record.id + " --wait` stops it with a checkpoint.", output);
}

run::ExitCode refuseCompleted(const storage::RunRecord& record, Output output) {
  const Error error{ErrorCode::InvalidInput, "run " + record.id,
                    "it is completed, with " + counted(record.step, "step") + " of " + std::to_string(record.maxSteps)};
  return refuse("the run cannot be resumed", error, "To train further, start a new run with more training.max_steps.", output);
}

Result<run::RunConfig> configOf(const storage::RunRecord& record) {
  const auto directory = std::filesystem::path(record.directory);
  TIDEMARK_ASSIGN(auto parsed, run::loadConfig((directory / "config.yaml").string(), {}));
  if (!parsed.problems.empty()) {
    const auto& first = parsed.problems.front();
    return Error{ErrorCode::InvalidConfig, (directory / "config.yaml").string(), first.key + ": " + first.what};
  }
  return parsed.config;
}

run::ExitCode resume(const Options& options) {
  auto store = openStore(options.database);
  if (!store.ok()) return refuse("the database cannot be opened", run::Concern::Database, store.error(), options.output);
  const auto record = findRun(**store, options.run);
  if (!record.ok()) return failLookup(options.run, record.error(), options.output);
  if (isUnfinished(*record) && isAlive(*record)) return refuseRunning(*record, options.output);
  if (record->status == storage::RunStatus::Completed) return refuseCompleted(*record, options.output);
  const auto config = configOf(*record);
  if (!config.ok()) return refuse("the run cannot be resumed", run::Concern::RunFiles, config.error(), options.output);
  const auto data = text::PreparedDataset::open(std::filesystem::path(record->directory) / "data.bin");
  if (!data.ok()) return refuse("the run cannot be resumed", run::Concern::RunFiles, data.error(), options.output);
  const auto model = weights::ModelSource::open(config->model);
  if (!model.ok()) return refuse("the model cannot be used", run::Concern::Model, model.error(), options.output);
  if (const auto budget = checkBudget(*config, **model, *data); !budget.ok())
    return refuse("the memory budget is too small", run::Concern::Settings, budget.error(), options.output);
  const auto worker = programBeside("tidemark-worker");
  if (!worker.ok()) return refuse("the training engine is missing", run::Concern::Program, worker.error(), options.output);

  launch::AgentSettings settings;
  settings.runId = record->id;
  settings.name = record->name;
  settings.directory = record->directory;
  settings.worker = *worker;
  settings.config = *config;
  settings.isResume = true;
  if (options.output == Output::Words) say("Run " + record->id + " goes on in " + oneLine(record->directory));
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
