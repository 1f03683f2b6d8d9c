// tidemark-cli sweep FILE: many runs of one configuration; and what becomes of a sweep afterwards.
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <thread>

#include "app/cli/beside.h"
#include "app/cli/command.h"
#include "app/cli/options.h"
#include "app/cli/run_lookup.h"
#include "app/cli/sweep_driver.h"
#include "app/cli/table.h"
#include "app/cli/words.h"
#include "core/base/file.h"
#include "core/base/json.h"
#include "core/base/local_time.h"
#include "core/launch/agent.h"
#include "storage/run_id.h"

namespace tidemark::cli {
namespace fs = std::filesystem;
namespace {

using storage::PointState;
using storage::SweepStatus;

constexpr size_t kNameColumns = 40;

struct Options {
  std::string file, resumed, stopped, shown, database;
  std::vector<std::string> overrides;
  bool isList = false, isRetrying = false, isWaiting = false;
  Output output = Output::Words;
};

fs::path databaseOf(const Options& options) {
  return fs::absolute(options.database.empty() ? storage::RunStore::defaultPath() : fs::path(options.database));
}

bool isDriven(const storage::SweepRecord& sweep) { return launch::isSameProcess(sweep.agentPid, sweep.agentStartTicks); }

// A sweep whose agent is gone without a word is lost.
Result<storage::SweepRecord> findSweep(storage::RunStore& store, const std::string& wanted) {
  TIDEMARK_ASSIGN(auto sweep, store.findSweep(wanted));
  if (sweep.status == SweepStatus::Running && !isDriven(sweep)) {
    TIDEMARK_TRY(store.setSweepStatus(sweep.id, SweepStatus::Lost));
    sweep.status = SweepStatus::Lost;
  }
  return sweep;
}

run::ExitCode failSweep(const Options& options, const std::string& wanted, const Error& error) {
  const bool isAboutName = error.subject == wanted;
  return fail(isAboutName ? "there is no such sweep" : "the sweep cannot be read", isAboutName ? run::Concern::Run : run::Concern::Database, error,
              options.output);
}

Result<sweep::Sweep> sweepOf(const storage::SweepRecord& record, const fs::path& folder) {
  std::error_code failure;
  fs::create_directories(folder, failure);
  if (failure) return Error{ErrorCode::Io, folder.string(), failure.message()};
  const fs::path file = folder / "sweep.yaml";
  TIDEMARK_TRY(writeFileAtomically(file, record.description));
  TIDEMARK_ASSIGN(const auto parsed, sweep::loadSweep(file.string(), {}));
  if (!parsed.problems.empty()) return Error{ErrorCode::InvalidInput, file.string(), parsed.problems.front().key + ": " + parsed.problems.front().what};
  return parsed.sweep;
}

fs::path folderOf(const fs::path& database, const std::string& id) { return database.parent_path() / "sweeps" / id; }

run::ExitCode drive(const Options& options, SweepTask task, storage::RunStore& store) {
  const auto cli = programBeside("tidemark-cli");
  if (!cli.ok()) return refuse("the command line is missing", run::Concern::Program, cli.error(), options.output);
  task.cli = *cli;
  SweepView view(task.id, task.sweep, options.output);
  const std::string id = task.id;
  SweepDriver driver(std::move(task), store, view);
  const auto ended = driver.run();
  if (ended.ok()) return *ended;
  if (const auto status = store.setSweepStatus(id, SweepStatus::Stopped); !status.ok()) warn(status.error().message());
  return fail("the sweep could not be carried out", run::Concern::RunFiles, ended.error(), options.output);
}

run::ExitCode start(const Options& options) {
  const auto parsed = sweep::loadSweep(options.file, options.overrides);
  if (!parsed.ok()) return refuse("the sweep cannot be read", run::Concern::Configuration, parsed.error(), options.output);
  if (!parsed->problems.empty()) return refuseConfig(options.file, parsed->problems, options.output);
  if (const auto worker = programBeside("tidemark-worker"); !worker.ok())
    return refuse("the training engine is missing", run::Concern::Program, worker.error(), options.output);
  SweepTask task{storage::newRunId(), parsed->sweep, {}, {}, databaseOf(options), {}};
  task.folder = folderOf(task.database, task.id);
  for (const sweep::Point& point : sweep::pointsOf(task.sweep)) {
    task.points.emplace_back();
    task.points.back().number = point.number;
    task.points.back().values = point.values;
    task.points.back().seed = point.seed;
  }
  const auto store = openStore(task.database.string());
  if (!store.ok()) return refuse("the database cannot be used", run::Concern::Database, store.error(), options.output);
  storage::SweepRecord record;
  record.id = task.id;
  record.name = task.sweep.name;
  record.description = sweep::toYaml(task.sweep);
  record.objective = nameOf(task.sweep.objective);
  record.agentPid = ::getpid();
  record.agentStartTicks = launch::processStartTicks(::getpid());
  if (const auto created = (*store)->createSweep(record, task.points); !created.ok())
    return refuse("the sweep cannot be entered in the database", run::Concern::Database, created.error(), options.output);
  return drive(options, std::move(task), **store);
}

// What has become of the runs since the sweep's agent last wrote; an error names one that still goes.
Status refreshPoints(storage::RunStore& store, bool isRetrying, std::vector<storage::SweepPoint>& points) {
  for (storage::SweepPoint& point : points) {
    const bool isRetried = isRetrying && (point.state == PointState::Failed || point.state == PointState::Refused);
    if (storage::isDone(point.state) && !isRetried) continue;
    if (isRetried) point.reason.clear();
    const auto known = point.run.empty() ? Result<storage::RunRecord>(Error{}) : store.run(point.run);
    if (!known.ok()) {  // there was none, or it was deleted since
      point.run.clear();
      point.state = PointState::Waiting;
      continue;
    }
    TIDEMARK_ASSIGN(const auto run, refreshed(store, *known));
    if (isUnfinished(run) && isAlive(run))
      return Error{ErrorCode::Busy, "run " + run.id, "still goes; `tidemark-cli stop " + run.id + " --wait` stops it with a checkpoint"};
    point.state = run.status == storage::RunStatus::Completed ? PointState::Completed : PointState::Stopped;
    point.step = run.step;
  }
  return {};
}

run::ExitCode resume(const Options& options) {
  const fs::path database = databaseOf(options);
  const auto store = openStore(database.string());
  if (!store.ok()) return refuse("the database cannot be opened", run::Concern::Database, store.error(), options.output);
  const auto record = findSweep(**store, options.resumed);
  if (!record.ok()) return failSweep(options, options.resumed, record.error());
  if (record->status == SweepStatus::Running)
    return refuse("the sweep cannot be resumed", {ErrorCode::Busy, "sweep " + record->id, "it is running already"},
                  "`tidemark-cli sweep --stop " + record->id + "` stops it.", options.output);
  SweepTask task{record->id, {}, {}, {}, database, folderOf(database, record->id)};
  const auto sweep = sweepOf(*record, task.folder);
  if (!sweep.ok()) return refuse("the sweep cannot be resumed", run::Concern::RunFiles, sweep.error(), options.output);
  task.sweep = *sweep;
  auto points = (*store)->sweepPoints(record->id);
  if (!points.ok()) return refuse("the sweep cannot be read", run::Concern::Database, points.error(), options.output);
  task.points = std::move(points).value();
  if (const auto ready = refreshPoints(**store, options.isRetrying, task.points); !ready.ok())
    return refuse("the sweep cannot be resumed", ready.error(), "", options.output);
  for (const Status& status : {(*store)->setSweepAgent(task.id, ::getpid(), launch::processStartTicks(::getpid())),
                               (*store)->setSweepStatus(task.id, SweepStatus::Running)})
    if (!status.ok()) return refuse("the database cannot be written", run::Concern::Database, status.error(), options.output);
  return drive(options, std::move(task), **store);
}

run::ExitCode stop(const Options& options) {
  const auto store = openStore(options.database);
  if (!store.ok()) return fail("the database cannot be opened", run::Concern::Database, store.error(), options.output);
  const auto sweep = findSweep(**store, options.stopped);
  if (!sweep.ok()) return failSweep(options, options.stopped, sweep.error());
  if (sweep->status != SweepStatus::Running) {
    const Error error{ErrorCode::InvalidInput, "sweep " + sweep->id, std::string("it is not running; it is ") + statusName(sweep->status)};
    const bool isOver = sweep->status == SweepStatus::Completed;
    return fail("nothing to stop", error, isOver ? "" : "`tidemark-cli sweep --resume " + sweep->id + "` goes on with it.", options.output);
  }
  if (const auto asked = launch::requestStop(sweep->agentPid, sweep->agentStartTicks); !asked.ok())
    return fail("the sweep could not be asked to stop", asked.error(), "", options.output);
  while (options.isWaiting && isDriven(*sweep)) std::this_thread::sleep_for(std::chrono::milliseconds(200));
  say("Sweep " + sweep->id + (options.isWaiting ? " has stopped." : " was asked to stop; its runs write a checkpoint first."));
  return run::ExitCode::Done;
}

run::ExitCode list(const Options& options) {
  const auto store = openStore(options.database);
  if (!store.ok()) return fail("the database cannot be opened", run::Concern::Database, store.error(), options.output);
  const auto sweeps = (*store)->sweeps();
  if (!sweeps.ok()) return fail("the sweeps cannot be read", run::Concern::Database, sweeps.error(), options.output);
  std::vector<std::vector<std::string>> rows{{"SWEEP", "NAME", "STATUS", "DONE", "STARTED"}};
  for (const auto& listed : *sweeps) {
    const auto record = findSweep(**store, listed.id);
    const auto points = (*store)->sweepPoints(listed.id);
    if (!record.ok() || !points.ok())
      return fail("the sweeps cannot be read", run::Concern::Database, record.ok() ? points.error() : record.error(), options.output);
    const auto done = std::count_if(points->begin(), points->end(), [](const auto& point) { return storage::isDone(point.state); });
    if (options.output == Output::Json) {
      const nlohmann::ordered_json json{{"event", "sweep"}, {"sweep", record->id}, {"name", record->name}, {"status", statusName(record->status)},
                                        {"runs", points->size()}, {"done", done}, {"objective", record->objective}, {"created_at", record->createdAt}};
      printData(json.dump(-1, ' ', false, Json::error_handler_t::replace));
    }
    rows.push_back({record->id, elided(record->name, kNameColumns), statusName(record->status),
                    std::to_string(done) + "/" + std::to_string(points->size()), localTime(record->createdAt)});
  }
  if (options.output == Output::Json) return run::ExitCode::Done;
  if (rows.size() == 1) say("There are no sweeps yet; `tidemark-cli sweep FILE` starts one.");
  else printTable(rows);
  return run::ExitCode::Done;
}

run::ExitCode show(const Options& options) {
  const fs::path database = databaseOf(options);
  const auto store = openStore(database.string());
  if (!store.ok()) return fail("the database cannot be opened", run::Concern::Database, store.error(), options.output);
  const auto record = findSweep(**store, options.shown);
  if (!record.ok()) return failSweep(options, options.shown, record.error());
  const auto sweep = sweepOf(*record, folderOf(database, record->id));
  if (!sweep.ok()) return fail("the sweep cannot be read", run::Concern::RunFiles, sweep.error(), options.output);
  const auto points = (*store)->sweepPoints(record->id);
  if (!points.ok()) return fail("the sweep cannot be read", run::Concern::Database, points.error(), options.output);
  SweepView view(record->id, *sweep, options.output);
  if (options.output == Output::Json) {
    view.begin(*points);
    view.show(*points);
    return run::ExitCode::Done;
  }
  print("sweep   " + record->id + "  " + elided(record->name, kNameColumns));
  print(std::string("status  ") + statusName(record->status));
  print("");
  printTable(sweepRows(*points, *sweep));
  for (const auto& point : *points)
    if (!point.reason.empty()) print(std::to_string(point.number + 1) + ": " + stateName(point.state) + ": " + elided(point.reason, 400));
  return run::ExitCode::Done;
}

run::ExitCode carryOut(const Options& options) {
  if (!options.resumed.empty()) return resume(options);
  if (!options.stopped.empty()) return stop(options);
  if (!options.shown.empty()) return show(options);
  return options.isList ? list(options) : start(options);
}

}  // namespace

void addSweepCommand(CLI::App& app, Action& action) {
  auto options = std::make_shared<Options>();
  auto* command = app.add_subcommand("sweep", "Try values for keys of a configuration, one run each, as FILE says (core/sweep/SWEEP.md)");
  auto* what = command->add_option_group("what", "One of");
  what->add_option("FILE", options->file, "YAML or JSON file of a sweep");
  what->add_option("--resume", options->resumed, "Go on with a sweep: what has ended is not done again")->type_name("SWEEP");
  what->add_option("--stop", options->stopped, "Stop a sweep; its runs write a checkpoint")->type_name("SWEEP");
  what->add_option("--show", options->shown, "Tell the state of a sweep and of its runs")->type_name("SWEEP");
  what->add_flag("--list", options->isList, "List all sweeps, the newest first");
  what->require_option(1);
  command->add_option("--set", options->overrides, "With FILE: set one key of the base, for example --set training.max_steps=20 (repeatable)")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  command->add_flag("--retry", options->isRetrying, "With --resume: also the runs that failed");
  command->add_flag("--wait", options->isWaiting, "With --stop: return when the sweep has ended");
  addDatabaseOption(*command, options->database);
  addJsonFlag(*command, options->output);
  command->callback([options, &action] { action = [options] { return carryOut(*options); }; });
}

}  // namespace tidemark::cli
