// tidemark-cli run CONFIG: everything that can be refused is refused before the run exists.
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "app/cli/beside.h"
#include "app/cli/budget_check.h"
#include "app/cli/command.h"
#include "app/cli/options.h"
#include "app/cli/preflight.h"
#include "app/cli/run_directory.h"
#include "app/cli/run_lookup.h"
#include "app/cli/supervision.h"
#include "app/cli/words.h"
#include "core/base/counted.h"
#include "core/base/file.h"
#include "core/base/printable.h"
#include "storage/run_id.h"

namespace tidemark::cli {
namespace {

constexpr size_t kShownProblems = 20;

struct Options {
  std::string config, name, database;
  std::string sweep;  // id; empty: the run is of none
  int64_t sweepPoint = -1;
  std::vector<std::string> overrides;
  Output output = Output::Words;
};

void sayLeftOut(const text::DatasetReport& report) {
  for (size_t i = 0; i < std::min(report.problems.size(), kShownProblems); ++i) {
    const auto& problem = report.problems[i];
    warn(problem.file + ":" + std::to_string(problem.line) +
         (problem.column > 0 ? ":" + std::to_string(problem.column) : "") + ": " + problem.what);
  }
  if (report.problems.size() > kShownProblems) {
    const auto more = report.problems.size() - kShownProblems;
    warn(counted(static_cast<int64_t>(more), "more row") + (more == 1 ? " was" : " were") + " left out or cut");
  }
}

run::DatasetEvent eventOf(const text::DatasetReport& report) {
  return {report.trainRows, report.evalRows,    report.trainTokens, report.droppedLong,
          report.truncated, report.withoutLoss, report.contentHash};
}

storage::RunRecord recordOf(const launch::AgentSettings& settings, const ModelFacts& model, const std::string& yaml, const Options& options) {
  storage::RunRecord record;
  record.sweep = options.sweep;
  record.sweepPoint = options.sweepPoint;
  record.id = settings.runId;
  record.name = settings.name;
  record.directory = settings.directory.string();
  record.status = storage::RunStatus::Queued;
  record.model = model.name;
  record.modelFormat = model.format;
  record.dataset = settings.config.dataset.train;
  record.policy = settings.config.memory.policy;
  record.agentPid = ::getpid();
  record.agentStartTicks = launch::processStartTicks(record.agentPid);
  record.ranks = settings.config.parallel.ranks;
  record.maxSteps = settings.config.training.maxSteps;
  record.configYaml = yaml;
  record.parameters = model.parameters;
  record.trainableParameters = model.trainableParameters;
  return record;
}

// The run's row in the database. Empty: no database, which is said and does not hinder the run.
std::unique_ptr<storage::RunStore> enterRun(const std::string& database, const storage::RunRecord& record,
                                            const run::RunConfig& config) {
  auto store = openStore(database);
  const auto later = "; the run goes on, and `tidemark-cli show " + oneLine(record.directory) + "` imports it later";
  if (!store.ok()) {
    warn("the database cannot be used: " + store.error().message() + later);
    return nullptr;
  }
  if (const auto created = (*store)->createRun(record, run::flatten(config)); !created.ok()) {
    warn("the run could not be entered in the database: " + created.error().message() + later);
    return nullptr;
  }
  return std::move(store).value();
}

// Fills the run directory: data.bin and config.yaml.
Result<text::DatasetReport> fill(const RunDirectory& directory, const run::RunConfig& config, const ModelFacts& model) {
  TIDEMARK_ASSIGN(auto report,
                  text::prepareDataset(text::datasetSettings(config), *model.tokenizer, directory.path() / "data.bin"));
  TIDEMARK_TRY(writeFileAtomically(directory.path() / "config.yaml", run::toYaml(config)));
  return report;
}

run::ExitCode start(const Options& options, run::RunConfig config, const std::filesystem::path& worker) {
  auto model = checkModel(config);
  if (!model.ok()) return refuse("the model cannot be used", run::Concern::Model, model.error(), options.output);
  if (const auto port = launch::choosePort(config.parallel.masterPort); !port.ok()) {
    return refuse("the port for the ranks cannot be used", run::Concern::Settings, port.error(), options.output);
  }
  launch::AgentSettings settings;
  settings.runId = storage::newRunId();
  settings.name =
      options.name.empty() ? model->name + " " + config.peft.type + " r" + std::to_string(config.peft.r) : options.name;
  const auto path =
      config.output.dir == "auto" ? defaultRunDirectory(settings.runId) : std::filesystem::path(config.output.dir);
  if (const auto disk = checkDisk(config, *model, path); !disk.ok())
    return refuse("the disk is too small", run::Concern::Settings, disk.error(), options.output);

  auto directory = RunDirectory::create(path);
  if (!directory.ok()) {
    const bool isInUse = directory.error().code == ErrorCode::InvalidConfig;
    return refuse("the run directory cannot be used", isInUse ? run::Concern::Settings : run::Concern::RunFiles,
                  directory.error(), options.output);
  }
  config.output.dir = directory->path().string();
  {
    const InterruptGuard guard(*directory);
    if (options.output == Output::Words) say("Preparing " + oneLine(config.dataset.train) + " ...");
    const auto report = fill(*directory, config, *model);
    if (!report.ok()) return refuse("the data cannot be used", run::Concern::Dataset, report.error(), options.output);
    sayLeftOut(*report);
    const auto data = text::PreparedDataset::open(directory->path() / "data.bin");
    if (!data.ok()) return refuse("the data cannot be used", run::Concern::Dataset, data.error(), options.output);
    if (const auto known = text::checkVocabulary(data->largestId(), model->source->config().vocabularySize); !known.ok())
      return refuse("the model cannot be used", run::Concern::Model, known.error(), options.output);
    if (const auto budget = checkBudget(config, *model->source, *data); !budget.ok())
      return refuse("the memory budget is too small", run::Concern::Settings, budget.error(), options.output);
    settings.openingEvents.push_back(eventOf(*report));
  }
  directory->keep();
  settings.directory = directory->path();
  settings.worker = worker;
  settings.config = config;
  const auto store = enterRun(options.database, recordOf(settings, *model, run::toYaml(config), options), config);
  if (options.output == Output::Words)
    say("Run " + settings.runId + " starts with " + counted(config.parallel.ranks, "rank") + " in " +
        oneLine(settings.directory.string()));
  return supervise(settings, store.get(), options.output);
}

run::ExitCode runConfig(const Options& options) {
  const auto parsed = run::loadConfig(options.config, options.overrides);
  if (!parsed.ok()) return refuse("the configuration cannot be read", run::Concern::Configuration, parsed.error(), options.output);
  if (const auto problems = allProblems(*parsed); !problems.empty()) return refuseConfig(options.config, problems, options.output);
  const auto worker = programBeside("tidemark-worker");
  if (!worker.ok()) return refuse("the training engine is missing", run::Concern::Program, worker.error(), options.output);
  return start(options, parsed->config, *worker);
}

}  // namespace

void addRunCommand(CLI::App& app, Action& action) {
  auto options = std::make_shared<Options>();
  auto* command = app.add_subcommand("run", "Fine-tune as CONFIG says, and watch over the ranks until they are done");
  command->add_option("CONFIG", options->config, "YAML or JSON file")->required();
  command->add_option("--set", options->overrides, "Set one key, for example --set training.max_steps=20 (repeatable)")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  command->add_option("--name", options->name, "The run's name (default: model and method)");
  // Given by `sweep` to the runs that it starts.
  command->add_option("--of-sweep", options->sweep)->group("");
  command->add_option("--sweep-point", options->sweepPoint)->group("");
  addDatabaseOption(*command, options->database);
  addJsonFlag(*command, options->output);
  command->callback([options, &action] { action = [options] { return runConfig(*options); }; });
}

}  // namespace tidemark::cli
