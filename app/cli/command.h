// How the verbs of the command line are put together: each registers itself, and leaves what is to be done.
#pragma once

#include <functional>

#include "core/run/exit_code.h"

namespace CLI {
class App;
}

namespace tidemark::cli {

// Set by the callback of the verb that was given; called after parsing.
using Action = std::function<run::ExitCode()>;

void addRunCommand(CLI::App& app, Action& action);
void addResumeCommand(CLI::App& app, Action& action);
void addStopCommand(CLI::App& app, Action& action);
void addRunsCommand(CLI::App& app, Action& action);
void addShowCommand(CLI::App& app, Action& action);
void addReportCommand(CLI::App& app, Action& action);
void addInspectCommand(CLI::App& app, Action& action);
void addTokenizeCommand(CLI::App& app, Action& action);
void addSweepCommand(CLI::App& app, Action& action);
void addPlanCommand(CLI::App& app, Action& action);
void addCompareModelsCommand(CLI::App& app, Action& action);
// score, generate, eval: carried out by tidemark-worker.
void addEngineCommands(CLI::App& app, Action& action);

}  // namespace tidemark::cli
