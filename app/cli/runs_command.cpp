// tidemark-cli runs, and show RUN.
#include <algorithm>
#include <memory>

#include "app/cli/command.h"
#include "app/cli/options.h"
#include "app/cli/run_json.h"
#include "app/cli/run_lookup.h"
#include "app/cli/words.h"
#include "core/base/bytes.h"
#include "core/launch/log_tail.h"

namespace tidemark::cli {
namespace {

constexpr int64_t kShownLogLines = 5;

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

// Columns as wide as their widest cell; cells hold no line breaks.
void printTable(const std::vector<std::vector<std::string>>& rows) {
  std::vector<size_t> widths(rows.front().size(), 0);
  for (const auto& row : rows) {
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  for (const auto& row : rows) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i) {
      line += row[i];
      if (i + 1 < row.size()) line += std::string(widths[i] - row[i].size() + 2, ' ');
    }
    print(line);
  }
}

std::string oneLine(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return launch::printable(text);
}

std::vector<std::string> rowOf(const storage::RunRecord& run) {
  return {run.id,
          oneLine(run.name),
          storage::statusName(run.status),
          std::to_string(run.step) + "/" + std::to_string(run.maxSteps),
          decimal(run.loss, 4),
          decimal(run.tokensPerSecond, 0),
          bytesOf(run.peakBytes),
          bytesOf(run.remoteBytesPerIteration),
          oneLine(run.model),
          localTime(run.createdAt)};
}

run::ExitCode list(const Options& options) {
  const auto store = openStore(options.database);
  if (!store.ok()) return fail("the database cannot be opened", store.error(), options.output);
  const auto found = (*store)->runs({options.search, std::nullopt, false, 10000});
  if (!found.ok()) return fail("the runs cannot be read", found.error(), options.output);
  std::vector<std::vector<std::string>> rows{
      {"RUN", "NAME", "STATUS", "STEP", "LOSS", "TOKENS/S", "PEAK", "REMOTE/ITERATION", "MODEL", "STARTED"}};
  for (const auto& record : *found) {
    const auto now = isUnfinished(record) ? refreshed(**store, record) : Result<storage::RunRecord>(record);
    if (!now.ok()) return fail("the run cannot be read", now.error(), options.output);
    if (options.output == Output::Json) print(jsonOf(*now));
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
    if (!value.empty()) rows.push_back({name, oneLine(value)});
  };
  add("run", run.id);
  add("name", run.name);
  add("status", storage::statusName(run.status));
  add("message", run.message);
  add("model", run.model);
  add("dataset", run.dataset);
  add("policy", run.policy + ", " + std::to_string(run.ranks) + " ranks");
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
    print("checkpoint  step " + std::to_string(checkpoint.step) + "  " + oneLine(checkpoint.path));
  TIDEMARK_ASSIGN(const auto lines, store.log(run.id, kShownLogLines));
  for (const auto& line : lines) print("log  " + line.level + ": " + oneLine(line.text));
  TIDEMARK_ASSIGN(const auto values, store.hyperparameters(run.id));
  print("");
  std::vector<std::vector<std::string>> rows;
  for (const auto& [key, value] : values) rows.push_back({key, oneLine(value)});
  if (!rows.empty()) printTable(rows);
  return {};
}

run::ExitCode show(const Options& options) {
  const auto store = openStore(options.database);
  if (!store.ok()) return fail("the database cannot be opened", store.error(), options.output);
  const auto record = findRun(**store, options.run);
  if (!record.ok()) return fail("there is no such run", record.error(), options.output);
  if (options.output == Output::Json) {
    const auto values = (*store)->hyperparameters(record->id);
    if (!values.ok()) return fail("the run cannot be read", values.error(), options.output);
    print(jsonOf(*record, *values));
    return run::ExitCode::Done;
  }
  printFacts(*record);
  const auto printed = printDetails(**store, *record);
  return printed.ok() ? run::ExitCode::Done : fail("the run cannot be read", printed.error(), options.output);
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
