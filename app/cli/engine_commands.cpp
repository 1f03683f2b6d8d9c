// score, generate and eval need libtorch: tidemark-worker carries them out, with the arguments as they were given.
#include <CLI/CLI.hpp>

#include "app/cli/beside.h"
#include "app/cli/command.h"

namespace tidemark::cli {
namespace {

void addPassedOn(CLI::App& app, Action& action, const std::string& verb, const std::string& help) {
  auto* command = app.add_subcommand(verb, help);
  command->prefix_command();  // every argument, --help too, is the worker's
  command->set_help_flag();
  command->callback([command, verb, &action] {
    const auto rest = command->remaining();
    action = [verb, rest] { return handOver(verb, rest); };
  });
}

}  // namespace

void addEngineCommands(CLI::App& app, Action& action) {
  addPassedOn(app, action, "score", "Log-probability of each token of a text");
  addPassedOn(app, action, "generate", "Answer a prompt with a model, with or without an adapter");
  addPassedOn(app, action, "eval", "Loss of a model, with or without an adapter, on a dataset");
}

}  // namespace tidemark::cli
