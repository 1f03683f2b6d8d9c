// tidemark-cli compare-models CONFIG --model A --model B: pretrained models side by side, before training.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <memory>

#include "app/cli/command.h"
#include "app/cli/model_comparison.h"
#include "app/cli/options.h"
#include "app/cli/table.h"
#include "app/cli/words.h"
#include "core/base/bytes.h"
#include "core/base/counted.h"
#include "core/base/printable.h"

namespace tidemark::cli {
namespace {

struct Options : ComparisonSettings {
  bool skipsProfile = false;
  Output output = Output::Words;
};

std::string number(double value, int digits) {
  char text[32];
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}

std::string millions(int64_t count) { return number(static_cast<double>(count) / 1e6, 1) + " M"; }

std::string share(int64_t part, int64_t whole) {
  return std::to_string(part) + (whole > 0 ? " (" + number(100.0 * static_cast<double>(part) / static_cast<double>(whole), 1) + " %)" : "");
}

// A figure of every model in a line of its own, so that any number of models can be read one below the other.
void printWords(const ModelComparison& comparison, bool hasProfile) {
  std::vector<std::vector<std::string>> table{{""}};
  const auto& models = comparison.models();
  for (const ComparedModel& m : models) table[0].push_back(m.name);
  const auto add = [&](const std::string& what, auto value) {
    std::vector<std::string> line{what};
    for (const ComparedModel& m : models) line.push_back(value(m));
    table.push_back(std::move(line));
  };
  const auto whole = [](const ComparedModel& m) { return m.rows + m.droppedRows + m.rowsWithoutLoss; };
  const auto known = [](const ComparedModel& m, const std::string& text) { return m.rows > 0 ? text : std::string("-"); };
  add("bits per byte", [](const ComparedModel& m) { return m.score ? number(m.score->bitsPerByte, 4) : "-"; });
  add("perplexity per token", [](const ComparedModel& m) { return m.score ? number(m.score->perplexity, 3) : "-"; });
  add("bytes per token", [](const ComparedModel& m) {
    return m.score ? number(static_cast<double>(m.score->textBytes) / static_cast<double>(m.score->textTokens), 2) : "-";
  });
  add("tokens per row", [&](const ComparedModel& m) { return known(m, number(static_cast<double>(m.tokens) / static_cast<double>(std::max<int64_t>(1, m.rows)), 1)); });
  add("longest row", [&](const ComparedModel& m) { return known(m, std::to_string(m.longestRow)); });
  add("rows cut", [&](const ComparedModel& m) { return known(m, share(m.cutRows, whole(m))); });
  add("rows left out", [&](const ComparedModel& m) { return known(m, share(m.droppedRows + m.rowsWithoutLoss, whole(m))); });
  add("parameters", [&](const ComparedModel& m) { return known(m, millions(m.parameters)); });
  add("trainable", [&](const ComparedModel& m) { return known(m, millions(m.trainableParameters)); });
  add("frozen weights", [&](const ComparedModel& m) { return known(m, formatBytes(m.frozenBytes)); });
  add("least budget", [&](const ComparedModel& m) { return known(m, formatBytes(m.leastBudgetBytes)); });
  add("budget for all", [&](const ComparedModel& m) { return known(m, formatBytes(m.wholeBudgetBytes)); });
  if (hasProfile) {
    add("peak (profiled)", [](const ComparedModel& m) { return m.profile ? formatBytes(m.profile->peakBytes) : "-"; });
    add("micro-batch", [](const ComparedModel& m) { return m.profile ? std::to_string(m.profile->microBatch) : "-"; });
    add("tokens/s", [](const ComparedModel& m) { return m.profile ? number(m.profile->tokensPerSecond, 1) : "-"; });
    add("text/s", [](const ComparedModel& m) { return m.profile ? formatBytes(static_cast<int64_t>(m.profile->bytesPerSecond)) : "-"; });
  }
  printTable(table);
  int64_t scored = 0;
  for (const ComparedModel& m : models) scored = std::max(scored, m.score ? m.score->rows : 0);
  print("");
  print("Scored: " + counted(scored, "row") + " of the " + std::to_string(comparison.commonRows()) + " that every model can take whole.");
  print("Compare bits per byte and text/s: tokens differ between tokenizers, and so does what is said of them.");
  for (const ComparedModel& m : models) {
    if (m.hasBuiltInTemplate) print(m.name + ": its files hold no chat template; Gemma's turns were used.");
    if (!m.trouble.empty()) print(m.name + ": " + m.trouble);
  }
}

class Progress {
 public:
  explicit Progress(const Options& options) : options_(options), isTerminal_(::isatty(STDERR_FILENO) == 1) {}
  void show(const ComparisonProgress& progress) {
    if (options_.output == Output::Json) {
      Json line{{"event", "comparing"}, {"model", options_.models[progress.index]}, {"stage", progress.stage}, {"done", progress.done}};
      if (progress.of > 0) line["of"] = progress.of;
      printData(line.dump(-1, ' ', false, Json::error_handler_t::replace));
      std::fflush(stdout);
      return;
    }
    if (!isTerminal_ && progress.done > 0) return;
    std::string text = "model " + std::to_string(progress.index + 1) + " of " + std::to_string(options_.models.size()) + " (" +
                       options_.models[progress.index] + "): " +
                       (progress.stage == "data" ? "reading and tokenising the data" : progress.stage == "score" ? "scoring rows" : "profiling an iteration");
    if (progress.of > 0) text += ", " + std::to_string(progress.done) + " of " + std::to_string(progress.of);
    if (isTerminal_) std::fprintf(stderr, "\r\033[K%s", elided(text, 100).c_str());
    else say(text);
  }
  void end() const {
    if (isTerminal_ && options_.output == Output::Words) std::fprintf(stderr, "\r\033[K");
  }

 private:
  const Options& options_;
  bool isTerminal_;
};

run::ExitCode compare(Options& options) {
  auto parsed = run::loadConfig(options.config, options.overrides);
  if (!parsed.ok()) return refuse("the configuration cannot be read", run::Concern::Configuration, parsed.error(), options.output);
  // The models are given beside it: one that the configuration lacks is no problem.
  auto& problems = parsed->problems;
  std::erase_if(problems, [](const run::ConfigProblem& problem) { return problem.key == "model"; });
  if (!problems.empty()) return refuseConfig(options.config, problems, options.output);
  if (options.models.empty() && !parsed->config.model.empty()) options.models.push_back(parsed->config.model);
  options.profiles = !options.skipsProfile;
  Progress progress(options);
  const auto tell = [&](size_t index, const std::string& stage, const ComparedModel& model) {
    if (options.output == Output::Json) {
      Json line = comparedJson(model, stage);
      line["index"] = index;
      printData(line.dump(-1, ' ', false, Json::error_handler_t::replace));
      std::fflush(stdout);
    }
  };
  std::unique_ptr<ModelComparison> comparison;
  comparison = std::make_unique<ModelComparison>(
      parsed->config, options, [&](const ComparisonProgress& p) { progress.show(p); },
      [&](size_t index, const std::string& stage) { tell(index, stage, comparison->models()[index]); });
  const Status ended = comparison->run();
  progress.end();
  if (!ended.ok()) return refuse("the models cannot be compared", run::Concern::Model, ended.error(), options.output);
  if (options.output == Output::Json) printData(Json{{"event", "models_compared"}, {"models", options.models.size()}, {"common_rows", comparison->commonRows()}}.dump());
  else printWords(*comparison, options.profiles);
  const auto& models = comparison->models();
  const bool isWhole = std::all_of(models.begin(), models.end(), [](const ComparedModel& m) { return m.trouble.empty(); });
  return isWhole ? run::ExitCode::Done : run::ExitCode::Failed;
}

}  // namespace

void addCompareModelsCommand(CLI::App& app, Action& action) {
  auto options = std::make_shared<Options>();
  auto* command = app.add_subcommand("compare-models", "Pretrained models side by side on the data of CONFIG, before training: perplexity, tokens, memory, speed");
  command->add_option("CONFIG", options->config, "YAML or JSON file; its `model` is compared where no --model is given")->required();
  command->add_option("--model", options->models, "GGUF file, Hugging Face directory, or org/name from the hub cache (repeatable)")
      ->type_name("M")->allow_extra_args(false);
  command->add_option("--set", options->overrides, "Set one key (repeatable)")->type_name("KEY=VALUE")->allow_extra_args(false);
  command->add_option("--rows", options->scoredRows, "Rows to score at most, the same for all models")
      ->check(CLI::Range(1, 1000000))->capture_default_str()->type_name("N");
  command->add_flag("--no-profile", options->skipsProfile, "Do not measure an iteration of each model");
  addJsonFlag(*command, options->output);
  command->footer("Exit codes: 0 done, 2 refused, 3 something could not be found out of one of the models; the rest is printed.");
  command->callback([options, &action] { action = [options] { return compare(*options); }; });
}

}  // namespace tidemark::cli
