// tidemark-cli report RUN --out FILE: the memory report; the suffix chooses the format.
#include <filesystem>
#include <memory>

#include "app/cli/beside.h"
#include "app/cli/command.h"
#include "app/cli/options.h"
#include "app/cli/report_files.h"
#include "app/cli/run_lookup.h"
#include "app/cli/words.h"

namespace tidemark::cli {
namespace {

struct Options {
  std::string run, target, database;
};

// PDF is drawn by Qt, which only the workbench has.
run::ExitCode drawPdf(const Options& options) {
  const auto workbench = programBeside("tidemark");
  if (!workbench.ok()) {
    const Error error{ErrorCode::Unsupported, options.target,
                      "PDF is drawn by the workbench, and " + workbench.error().subject +
                          " is not installed; use .html, .csv or .json"};
    return fail("the report cannot be written", run::Concern::Report, error, Output::Words);
  }
  std::vector<std::string> arguments{"--report", options.run, "--out", options.target};
  if (!options.database.empty()) arguments.insert(arguments.end(), {"--db", options.database});
  return fail("the report cannot be written", run::Concern::Program, become(*workbench, arguments), Output::Words);
}

run::ExitCode writeOne(const Options& options) {
  if (std::filesystem::path(options.target).extension() == ".pdf") return drawPdf(options);
  const auto store = openStore(options.database);
  if (!store.ok()) return fail("the database cannot be opened", run::Concern::Database, store.error(), Output::Words);
  const auto record = findRun(**store, options.run);
  if (!record.ok()) return failLookup(options.run, record.error(), Output::Words);
  const auto report = collectReport(**store, *record);
  if (!report.ok()) return fail("the run cannot be read", run::Concern::Database, report.error(), Output::Words);
  const auto written = writeReport(*report, options.target);
  if (!written.ok()) return fail("the report cannot be written", run::Concern::Report, written.error(), Output::Words);
  print(options.target);
  return run::ExitCode::Done;
}

}  // namespace

void addReportCommand(CLI::App& app, Action& action) {
  auto options = std::make_shared<Options>();
  auto* command = app.add_subcommand("report", "Write a run's memory report");
  command->add_option("RUN", options->run, "Id, beginning of an id, name, or run directory")->required();
  command->add_option("--out", options->target, "File; its suffix chooses: .html .pdf .csv .json")
      ->required()
      ->type_name("FILE");
  addDatabaseOption(*command, options->database);
  command->callback([options, &action] { action = [options] { return writeOne(*options); }; });
}

}  // namespace tidemark::cli
