// tidemark-cli plan CONFIG: what fits. A budget that cannot work is refused here; the rest is measured by tidemark-worker.
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <vector>

#include "app/cli/beside.h"
#include "app/cli/budget_check.h"
#include "app/cli/command.h"
#include "app/cli/options.h"
#include "app/cli/preflight.h"
#include "app/cli/words.h"

namespace tidemark::cli {
namespace fs = std::filesystem;
namespace {

struct Options {
  std::string config;
  std::vector<std::string> overrides;
  Output output = Output::Words;
};

// A place for the prepared data; gone with this object, unless the worker takes it over.
class ScratchFolder {
 public:
  ScratchFolder() : pattern_((fs::temp_directory_path() / "tidemark-plan-XXXXXX").string()) {
    if (!::mkdtemp(pattern_.data())) pattern_.clear();
  }
  ~ScratchFolder() {
    std::error_code ignored;
    if (!pattern_.empty()) fs::remove_all(pattern_, ignored);
  }
  bool isThere() const { return !pattern_.empty(); }
  fs::path path() const { return pattern_; }

 private:
  std::string pattern_;
};

run::ExitCode plan(const Options& options) {
  auto parsed = run::loadConfig(options.config, options.overrides);
  if (!parsed.ok())
    return refuse("the configuration cannot be read", run::Concern::Configuration, parsed.error(), options.output);
  if (!parsed->problems.empty()) return refuseConfig(options.config, parsed->problems, options.output);
  const auto model = checkModel(parsed->config);
  if (!model.ok()) return refuse("the model cannot be used", run::Concern::Model, model.error(), options.output);
  const ScratchFolder scratch;
  if (!scratch.isThere()) {
    const Error error{ErrorCode::Io, fs::temp_directory_path().string(), "no folder can be made there"};
    return refuse("the data cannot be prepared", run::Concern::Dataset, error, options.output);
  }
  const auto file = scratch.path() / "data.bin";
  const auto report = text::prepareDataset(datasetSettings(parsed->config), *model->tokenizer, file);
  if (!report.ok()) return refuse("the data cannot be used", run::Concern::Dataset, report.error(), options.output);
  const auto data = text::PreparedDataset::open(file);
  if (!data.ok()) return refuse("the data cannot be used", run::Concern::Dataset, data.error(), options.output);
  if (const auto known = text::checkVocabulary(data->largestId(), model->source->config().vocabularySize); !known.ok())
    return refuse("the model cannot be used", run::Concern::Model, known.error(), options.output);
  if (const auto budget = checkAnyPolicy(parsed->config, *model->source, *data); !budget.ok())
    return refuse("the memory budget is too small", run::Concern::Settings, budget.error(), options.output);

  std::vector<std::string> rest{options.config};
  for (const auto& text : options.overrides) rest.insert(rest.end(), {"--set", text});
  if (options.output == Output::Json) rest.push_back("--json");
  rest.insert(rest.end(), {"--prepared", scratch.path().string()});
  return handOver("plan", rest);
}

}  // namespace

void addPlanCommand(CLI::App& app, Action& action) {
  auto options = std::make_shared<Options>();
  auto* command =
      app.add_subcommand("plan", "Tell what fits: micro-batch, policy, predicted peak and tokens/s, without training");
  command->add_option("CONFIG", options->config, "YAML or JSON file")->required();
  command->add_option("--set", options->overrides, "Set one key (repeatable)")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  addJsonFlag(*command, options->output);
  command->callback([options, &action] { action = [options] { return plan(*options); }; });
}

}  // namespace tidemark::cli
