// tidemark-cli report RUN [RUN...] --out FILE: the memory report; the suffix chooses the format.
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "app/cli/beside.h"
#include "app/cli/command.h"
#include "app/cli/options.h"
#include "app/cli/report_files.h"
#include "app/cli/run_lookup.h"
#include "app/cli/words.h"
#include "app/report_source.h"

namespace tidemark::cli {
namespace {

struct Options {
  std::vector<std::string> runs;
  std::string target, plots, database;
};

// PDF and single plots are drawn by Qt, which only the workbench has.
run::ExitCode drawByWorkbench(const Options& options, const std::string& option, const std::string& target) {
  const auto workbench = programBeside("tidemark");
  if (!workbench.ok()) {
    const Error error{ErrorCode::Unsupported, target,
                      "PDF and plots are drawn by the workbench, and " + workbench.error().subject +
                          " is not installed; use --out with .html, .csv or .json"};
    return fail("the report cannot be written", run::Concern::Report, error, Output::Words);
  }
  std::vector<std::string> arguments;
  for (const std::string& wanted : options.runs) arguments.insert(arguments.end(), {"--report", wanted});
  arguments.insert(arguments.end(), {option, target});
  if (!options.database.empty()) arguments.insert(arguments.end(), {"--db", options.database});
  return fail("the report cannot be written", run::Concern::Program, become(*workbench, arguments), Output::Words);
}

run::ExitCode writeFile(const Options& options) {
  const auto store = openStore(options.database);
  if (!store.ok()) return fail("the database cannot be opened", run::Concern::Database, store.error(), Output::Words);
  report::RunReports reports;
  for (const std::string& wanted : options.runs) {
    const auto record = findRun(**store, wanted);
    if (!record.ok()) return failLookup(wanted, record.error(), Output::Words);
    auto report = app::collectReport(**store, *record);
    if (!report.ok()) return fail("the run cannot be read", run::Concern::Database, report.error(), Output::Words);
    reports.push_back(std::move(report).value());
  }
  const auto written = writeReport(reports, options.target);
  if (!written.ok()) return fail("the report cannot be written", run::Concern::Report, written.error(), Output::Words);
  print(options.target);
  return run::ExitCode::Done;
}

run::ExitCode writeOne(const Options& options) {
  if (!options.plots.empty()) return drawByWorkbench(options, "--plots", options.plots);
  if (std::filesystem::path(options.target).extension() == ".pdf") return drawByWorkbench(options, "--out", options.target);
  return writeFile(options);
}

}  // namespace

void addReportCommand(CLI::App& app, Action& action) {
  auto options = std::make_shared<Options>();
  auto* command = app.add_subcommand("report", "Write the memory report of a run, or of several beside each other");
  command->add_option("RUN", options->runs, "Ids, beginnings of ids, names, or run directories")->required();
  auto* where = command->add_option_group("where", "One of");
  where->add_option("--out", options->target, "File; its suffix chooses: .html .pdf .csv .json")->type_name("FILE");
  where->add_option("--plots", options->plots, "Folder for each plot by itself, as PNG and SVG")->type_name("DIR");
  where->require_option(1);
  addDatabaseOption(*command, options->database);
  command->callback([options, &action] { action = [options] { return writeOne(*options); }; });
}

}  // namespace tidemark::cli
