// tidemark-cli inspect model|data|adapter PATH: what a file holds, before anything is done with it.
#include <memory>

#include "app/cli/command.h"
#include "app/cli/inspect.h"
#include "app/cli/options.h"
#include "app/cli/words.h"

namespace tidemark::cli {
namespace {

void addInspection(CLI::App& parent, Action& action, const std::string& name, const std::string& help,
                   run::ExitCode (*inspect)(const InspectOptions&),
                   const std::function<void(CLI::App&, InspectOptions&)>& addMore) {
  auto options = std::make_shared<InspectOptions>();
  auto* command = parent.add_subcommand(name, help);
  command->add_option("PATH", options->path, "File or directory")->required();
  addJsonFlag(*command, options->output);
  addMore(*command, *options);
  command->callback([options, inspect, &action] { action = [options, inspect] { return inspect(*options); }; });
}

void addDataOptions(CLI::App& command, InspectOptions& options) {
  command.add_option("--model", options.model, "Whose tokenizer and chat template to use")->required()->type_name("M");
  command.add_option("--format", options.format, "auto, messages, alpaca or prompt-completion")
      ->check(CLI::IsMember({"auto", "messages", "alpaca", "prompt-completion"}));
  command.add_option("--max-seq-length", options.maxSequenceLength, "Tokens of the longest row (default 512)")
      ->check(CLI::Range(2, 1 << 20));
  command.add_option("--train-on", options.trainOn, "assistant or all")->check(CLI::IsMember({"assistant", "all"}));
  command.add_option("--truncation", options.truncation, "drop, truncate or error")
      ->check(CLI::IsMember({"drop", "truncate", "error"}));
}

}  // namespace

void addInspectCommand(CLI::App& app, Action& action) {
  auto* command = app.add_subcommand("inspect", "Tell what a model, a dataset or an adapter holds");
  command->require_subcommand(1);
  addInspection(*command, action, "model", "Shape, parameters and stored types of a model", inspectModel,
                [](CLI::App&, InspectOptions&) {});
  addInspection(*command, action, "data", "Rows, tokens and problems of a dataset", inspectData, addDataOptions);
  addInspection(*command, action, "adapter", "Configuration and tensors of a PEFT adapter", inspectAdapter,
                [](CLI::App&, InspectOptions&) {});
}

}  // namespace tidemark::cli
