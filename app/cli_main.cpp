// The command line: parses, and calls the verb that was given. Results go to stdout, words for people to stderr.
#include <CLI/CLI.hpp>
#include <cstdio>

#include "app/cli/command.h"
#include "core/run/exit_code.h"

int main(int argc, char** argv) {
  using namespace tidemark;
  CLI::App app{"Tidemark fine-tunes language models whose frozen weights are sharded over ranks.", "tidemark-cli"};
  app.set_version_flag("--version", "tidemark-cli " TIDEMARK_VERSION);
  app.require_subcommand(1);
  app.footer("Exit codes: 0 done, 2 refused before anything was started, 3 failed, 4 out of memory, 5 a rank was lost, 130 stopped.");

  cli::Action action;
  for (auto* add : {cli::addRunCommand, cli::addResumeCommand, cli::addStopCommand, cli::addRunsCommand, cli::addShowCommand,
                    cli::addReportCommand, cli::addSweepCommand, cli::addPlanCommand, cli::addCompareModelsCommand, cli::addInspectCommand,
                    cli::addTokenizeCommand,
                    cli::addEngineCommands}) {
    add(app, action);
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : static_cast<int>(run::ExitCode::Refused);
  }
  const auto code = action();
  if (std::fflush(stdout) != 0 && code == run::ExitCode::Done) return static_cast<int>(run::ExitCode::Failed);
  return static_cast<int>(code);
}
