// plan, score, generate and eval need libtorch: tidemark-worker carries them out, with the arguments as they were
// given.
#include <memory>
#include <vector>

#include "app/cli/beside.h"
#include "app/cli/command.h"
#include "app/cli/options.h"
#include "app/cli/preflight.h"
#include "app/cli/words.h"

namespace tidemark::cli {
namespace {

run::ExitCode handOver(const std::string& verb, const std::vector<std::string>& rest) {
  const auto worker = programBeside("tidemark-worker");
  if (!worker.ok()) return refuse("`" + verb + "` needs the engine", worker.error(), Output::Words);
  std::vector<std::string> arguments{verb};
  arguments.insert(arguments.end(), rest.begin(), rest.end());
  return fail("`" + verb + "` failed", become(*worker, arguments), Output::Words);
}

struct PlanOptions {
  std::string config;
  std::vector<std::string> overrides;
  Output output = Output::Words;
};

run::ExitCode plan(const PlanOptions& options) {
  auto parsed = run::loadConfig(options.config, options.overrides);
  if (!parsed.ok()) return refuse("the configuration cannot be read", parsed.error(), options.output);
  if (!parsed->problems.empty()) return refuseConfig(options.config, parsed->problems, options.output);
  if (const auto model = checkModel(parsed->config); !model.ok()) {
    return refuse("the model cannot be used", model.error(), options.output);
  }
  std::vector<std::string> rest{options.config};
  for (const auto& text : options.overrides) rest.insert(rest.end(), {"--set", text});
  if (options.output == Output::Json) rest.push_back("--json");
  return handOver("plan", rest);
}

void addPlanCommand(CLI::App& app, Action& action) {
  auto options = std::make_shared<PlanOptions>();
  auto* command =
      app.add_subcommand("plan", "Tell what fits: micro-batch, policy, predicted peak and tokens/s, without training");
  command->add_option("CONFIG", options->config, "YAML or JSON file")->required();
  command->add_option("--set", options->overrides, "Set one key (repeatable)")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  addJsonFlag(*command, options->output);
  command->callback([options, &action] { action = [options] { return plan(*options); }; });
}

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
  addPlanCommand(app, action);
  addPassedOn(
      app, action, "score",
      "Log-probability of each token of a text: --model M [--adapter A] (--text T | --tokens \"1 2 3\") [--json]");
  addPassedOn(app, action, "generate", "Continue a text with a model and an adapter");
  addPassedOn(app, action, "eval", "Loss of a model, with or without an adapter, on a dataset");
}

}  // namespace tidemark::cli
