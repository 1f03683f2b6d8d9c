// tidemark-cli runs, and show RUN.
#include <memory>

#include "app/cli/command.h"
#include "app/cli/options.h"
#include "app/cli/run_json.h"
#include "app/cli/run_lookup.h"
#include "app/cli/table.h"
#include "app/cli/words.h"
#include "core/base/bytes.h"
#include "core/base/counted.h"
#include "core/base/local_time.h"

namespace tidemark::cli {
namespace {

constexpr int64_t kShownLogLines = 5;
// Of the table of runs: with these it stays below 170 columns.
constexpr size_t kNameColumns = 32, kModelColumns = 28;
constexpr size_t kShownNameColumns = 200;

struct Options {
  std::string run, database, search;
  Output output = Output::Words;
};

std::string decimal(const std::optional<double>& value, int digits) {
  if (!value) return "-";
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, "%.*f", digits, *value);
  return buffer;
}

std::string bytesOf(const std::optional<int64_t>& value) { return value ? formatBytes(*value) : "-"; }

std::vector<std::string> rowOf(const storage::RunRecord& run) {
  return {run.id,
          elided(run.name, kNameColumns),
          storage::statusName(run.status),
          std::to_string(run.step) + "/" + std::to_string(run.maxSteps),
          decimal(run.loss, 4),
          decimal(run.tokensPerSecond, 0),
          bytesOf(run.peakBytes),
          bytesOf(run.remoteBytesPerIteration),
          elided(run.model, kModelColumns),
          localTime(run.createdAt)};
}

run::ExitCode list(const Options& options) {
  const auto store = openStore(options.database);
  if (!store.ok()) return fail("the database cannot be opened", run::Concern::Database, store.error(), options.output);
  const auto found = (*store)->runs({options.search, std::nullopt, false, 10000});
  if (!found.ok()) return fail("the runs cannot be read", run::Concern::Database, found.error(), options.output);
  std::vector<std::vector<std::string>> rows{
      {"RUN", "NAME", "STATUS", "STEP", "LOSS", "TOKENS/S", "PEAK", "REMOTE/ITERATION", "MODEL", "STARTED"}};
  for (const auto& record : *found) {
    const auto now = isUnfinished(record) ? refreshed(**store, record) : Result<storage::RunRecord>(record);
    if (!now.ok()) return fail("the run cannot be read", run::Concern::Database, now.error(), options.output);
    if (options.output == Output::Json) printData(jsonOf(*now));
    rows.push_back(rowOf(*now));
  }
  if (options.output == Output::Json) return run::ExitCode::Done;
  if (rows.size() == 1)
    say("There are no runs yet; `tidemark-cli run CONFIG` starts one.");
  else
    printTable(rows);
  return run::ExitCode::Done;
}

void printFacts(const storage::RunRecord& run) {
  std::vector<std::vector<std::string>> rows;
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) rows.push_back({name, value});
  };
  add("run", run.id);
  add("name", elided(run.name, kShownNameColumns));
  add("status", storage::statusName(run.status));
  add("message", run.message);
  add("model", run.model);
  add("dataset", run.dataset);
  add("policy", run.policy + ", " + counted(run.ranks, "rank"));
  add("step", std::to_string(run.step) + " of " + std::to_string(run.maxSteps));
  add("loss", decimal(run.loss, 4));
  add("evaluation", decimal(run.evalLoss, 4));
  add("speed", decimal(run.tokensPerSecond, 1) + " tokens/s");
  add("peak", bytesOf(run.peakBytes) + " of " + bytesOf(run.budgetBytes));
  add("remote", bytesOf(run.remoteBytesPerIteration) + " per iteration");
  add("parameters", std::to_string(run.parameters) + ", of which trained " + std::to_string(run.trainableParameters));
  add("started", localTime(run.createdAt));
  if (run.finishedAt > 0) add("ended", localTime(run.finishedAt));
  if (run.exitCode) add("exit code", std::to_string(*run.exitCode));
  add("adapter", run.adapter);
  add("directory", run.directory);
  printTable(rows);
}

Status printDetails(const storage::RunStore& store, const storage::RunRecord& run) {
  TIDEMARK_ASSIGN(const auto checkpoints, store.checkpoints(run.id));
  for (const auto& checkpoint : checkpoints)
    print("checkpoint  step " + std::to_string(checkpoint.step) + "  " + checkpoint.path);
  TIDEMARK_ASSIGN(const auto lines, store.log(run.id, kShownLogLines));
  for (const auto& line : lines) print("log  " + line.level + ": " + line.text);
  TIDEMARK_ASSIGN(const auto values, store.hyperparameters(run.id));
  print("");
  std::vector<std::vector<std::string>> rows;
  for (const auto& [key, value] : values) rows.push_back({key, value});
  if (!rows.empty()) printTable(rows);
  return {};
}

run::ExitCode show(const Options& options) {
  const auto store = openStore(options.database);
  if (!store.ok()) return fail("the database cannot be opened", run::Concern::Database, store.error(), options.output);
  const auto record = findRun(**store, options.run);
  if (!record.ok()) return failLookup(options.run, record.error(), options.output);
  if (options.output == Output::Json) {
    const auto values = (*store)->hyperparameters(record->id);
    if (!values.ok()) return fail("the run cannot be read", run::Concern::Database, values.error(), options.output);
    printData(jsonOf(*record, *values));
    return run::ExitCode::Done;
  }
  printFacts(*record);
  const auto printed = printDetails(**store, *record);
  return printed.ok() ? run::ExitCode::Done : fail("the run cannot be read", run::Concern::Database, printed.error(), options.output);
}

}  // namespace

void addRunsCommand(CLI::App& app, Action& action) {
  auto options = std::make_shared<Options>();
  auto* command = app.add_subcommand("runs", "List all runs, the newest first");
  command->add_option("--search", options->search, "Only runs with this in name, model or dataset");
  addDatabaseOption(*command, options->database);
  addJsonFlag(*command, options->output);
  command->callback([options, &action] { action = [options] { return list(*options); }; });
}

void addShowCommand(CLI::App& app, Action& action) {
  auto options = std::make_shared<Options>();
  auto* command = app.add_subcommand("show", "Tell all about one run");
  command->add_option("RUN", options->run, "Id, beginning of an id, name, or run directory")->required();
  addDatabaseOption(*command, options->database);
  addJsonFlag(*command, options->output);
  command->callback([options, &action] { action = [options] { return show(*options); }; });
}

}  // namespace tidemark::cli
