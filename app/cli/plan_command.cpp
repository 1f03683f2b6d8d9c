// tidemark-cli plan CONFIG: what fits, and how fast, for every combination of some keys. From one iteration that the engine
// measures here, or from formulas alone for hardware that is not there.
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <filesystem>
#include <memory>
#include <set>
#include <vector>

#include "app/cli/beside.h"
#include "app/cli/budget_check.h"
#include "app/cli/command.h"
#include "app/cli/options.h"
#include "app/cli/plan_profile.h"
#include "app/cli/plan_table.h"
#include "app/cli/preflight.h"
#include "app/cli/words.h"
#include "core/base/bytes.h"
#include "core/base/counted.h"
#include "core/memory/plan_budget.h"

namespace tidemark::cli {
namespace fs = std::filesystem;
namespace {

struct Options {
  std::string config;
  std::vector<std::string> overrides, variations;
  std::string flops, bandwidth, memory;
  double latencyMicroseconds = -1, efficiencyPercent = 0;
  int64_t ranks = 0;
  size_t best = 20;
  bool isComputed = false;
  Output output = Output::Words;
  // Hardware that is described is not here: nothing is measured for it.
  bool usesFormulas() const {
    return isComputed || !flops.empty() || !bandwidth.empty() || !memory.empty() || latencyMicroseconds >= 0 || efficiencyPercent > 0;
  }
};

// A place for the prepared data; gone with this object.
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

// "312e12", "312T": operations per second.
Result<double> parseOperations(const std::string& text) {
  char* end = nullptr;
  double value = std::strtod(text.c_str(), &end);
  const std::string unit = end;
  const double factor = unit.empty() ? 1 : unit == "G" ? 1e9 : unit == "T" ? 1e12 : unit == "P" ? 1e15 : 0;
  if (end == text.c_str() || factor == 0 || !std::isfinite(value) || value <= 0)
    return Error{ErrorCode::InvalidConfig, "--flops", "wants operations per second such as 60T or 6e13, not " + text};
  return value * factor;
}

// The machine as the options describe it.
Result<fit::Machine> machineFrom(const Options& options) {
  fit::Machine machine;
  if (!options.flops.empty()) {
    TIDEMARK_ASSIGN(const double operations, parseOperations(options.flops));
    machine.operationsPerSecond = {operations, fit::Origin::Given};
  }
  if (!options.bandwidth.empty()) {
    const auto bytes = parseBytes(options.bandwidth);
    if (!bytes.ok() || *bytes <= 0) return Error{ErrorCode::InvalidConfig, "--bandwidth", "wants bytes per second such as 12GiB, not " + options.bandwidth};
    machine.bytesPerSecond = {static_cast<double>(*bytes), fit::Origin::Given};
  }
  if (options.latencyMicroseconds >= 0) machine.latencySeconds = {1e-6 * options.latencyMicroseconds, fit::Origin::Given};
  if (options.efficiencyPercent > 0) machine.efficiency = {options.efficiencyPercent / 100, fit::Origin::Given};
  if (!options.memory.empty()) {
    const auto bytes = parseBytes(options.memory);
    if (!bytes.ok() || *bytes <= 0) return Error{ErrorCode::InvalidConfig, "--memory", "wants bytes such as 80GiB, not " + options.memory};
    machine.memoryBytes = memory::automaticBudgetBytes(*bytes, 1);
  }
  return machine;
}

struct Inputs {
  run::RunConfig config;
  std::vector<fit::Variation> variations;
  ModelFacts model;
  std::shared_ptr<const fit::RowLengths> rows;
};

// The longest sequence that is asked for.
int64_t longestOf(const Inputs& in) {
  int64_t longest = in.config.dataset.maxSeqLength;
  for (const fit::Variation& variation : in.variations)
    if (variation.key == "dataset.max_seq_length")
      for (const std::string& value : variation.values) longest = std::max<int64_t>(longest, std::stoll(value));
  return longest;
}

Result<std::shared_ptr<const fit::RowLengths>> lengthsOf(const Inputs& in, int64_t limit, const fs::path& file) {
  text::DatasetSettings settings = text::datasetSettings(in.config);
  settings.maxSequenceLength = limit;
  TIDEMARK_ASSIGN(const text::DatasetReport report, text::prepareDataset(settings, *in.model.tokenizer, file));
  TIDEMARK_ASSIGN(const auto data, text::PreparedDataset::open(file));
  TIDEMARK_TRY(text::checkVocabulary(data.largestId(), in.model.source->config().vocabularySize));
  return std::make_shared<const fit::RowLengths>(fit::RowLengths::of(data, limit));
}

// The forms of the weights that are searched and that this process can hold: each is measured on its own.
std::vector<std::string> formsToMeasure(const Inputs& in) {
  std::vector<std::string> forms{in.config.memory.weights};
  for (const fit::Variation& variation : in.variations)
    if (variation.key == "memory.weights")
      for (const std::string& value : variation.values)
        if (value != forms.front()) forms.push_back(value);
  return forms;
}

Result<fit::Machine> measureInto(fit::Predictor& predictor, const Options& options, const Inputs& in, const fs::path& prepared,
                                 PlanAnswer& answer, run::ExitCode& code) {
  TIDEMARK_ASSIGN(const fs::path worker, programBeside("tidemark-worker"));
  std::vector<std::string> arguments{options.config};
  for (const auto& text : options.overrides) arguments.insert(arguments.end(), {"--set", text});
  if (options.ranks > 0) arguments.insert(arguments.end(), {"--set", "parallel.ranks=" + std::to_string(options.ranks)});
  std::string forms;
  for (const std::string& form : formsToMeasure(in)) forms += (forms.empty() ? "" : ",") + form;
  arguments.insert(arguments.end(), {"--weights", forms, "--prepared", prepared.string()});
  if (options.output == Output::Words) say("Measuring one iteration with weights " + forms + " ...");
  TIDEMARK_ASSIGN(const MeasuredHere measured, measureProfiles(worker, arguments, code));
  for (const fit::Profile& profile : measured.profiles) predictor.addProfile(profile, in.config);
  fit::Machine machine = fit::machineOf(measured.gathers);
  answer.measured = measured;
  return machine;
}

Status search(const fit::Predictor& predictor, const Inputs& in, PlanAnswer& answer) {
  const auto start = std::chrono::steady_clock::now();
  answer.present = predictor.predict(in.config);
  TIDEMARK_ASSIGN(answer.found, fit::search(predictor, in.config, in.variations));
  answer.neighbours = fit::neighbours(predictor, answer.present);
  answer.searchSeconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return {};
}

bool anyFits(const PlanAnswer& answer) {
  for (const fit::Found& found : answer.found)
    if (found.prediction.fits) return true;
  return answer.present.fits;
}

run::ExitCode refuseTooSmall(const PlanAnswer& answer, Output output) {
  const fit::Prediction& p = answer.present;
  if (!p.refusal.empty())
    return refuse("the plan cannot be made", run::Concern::Settings, {ErrorCode::InvalidConfig, "", p.refusal}, output);
  std::string detail = (answer.budgetSource.empty() ? "is " : "is " + answer.budgetSource + ", ") + formatBytes(p.budgetBytes) + ", and each rank needs at least " + formatBytes(p.leastBudgetBytes);
  for (const fit::Found& found : answer.found) {
    if (!found.prediction.refusal.empty()) continue;
    detail += "; of " + std::to_string(answer.found.size()) + " choices the one that needs least, " +
              formatBytes(found.prediction.leastBudgetBytes) + ", is";
    for (const auto& [key, value] : found.settings) detail += " " + key + "=" + value;
    break;  // they are sorted
  }
  for (size_t i = 0; i < answer.neighbours.size(); ++i) detail += (i == 0 ? ". At this budget fits " : ", or ") + neighbourWords(answer.neighbours[i]);
  return refuse("the memory budget is too small", run::Concern::Settings, {ErrorCode::OutOfMemory, "memory.budget", detail}, output);
}

run::ExitCode answerFor(const Options& options, Inputs& in) {
  auto machine = machineFrom(options);
  if (!machine.ok()) return refuse("the options cannot be used", run::Concern::Text, machine.error(), options.output);
  const ScratchFolder scratch;
  if (!scratch.isThere()) {
    const Error error{ErrorCode::Io, fs::temp_directory_path().string(), "no folder can be made there"};
    return refuse("the data cannot be prepared", run::Concern::Dataset, error, options.output);
  }
  const int64_t limit = longestOf(in);
  auto rows = lengthsOf(in, limit, scratch.path() / "data.bin");
  if (!rows.ok()) return refuse("the data cannot be used", run::Concern::Dataset, rows.error(), options.output);
  in.rows = *rows;
  PlanAnswer answer;
  const bool isHere = options.memory.empty();
  if (isHere && fit::usesHostMemory(in.config))
    machine->memoryBytes = memory::automaticBudgetBytes(memory::availableHostBytes(), in.config.parallel.ranks);
  if (isHere && in.config.memory.budgetBytes == 0)
    answer.budgetSource = "auto: " + counted(in.config.parallel.ranks, "rank") + " share what this machine has free";
  if (!isHere) {
    in.config.memory.budgetBytes = 0;  // the device decides
    answer.budgetSource = "80 % of " + options.memory;
  }
  const bool knowsBudget = in.config.memory.budgetBytes > 0 || machine->memoryBytes > 0;
  if (!knowsBudget && options.usesFormulas()) {
    const Error error{ErrorCode::InvalidConfig, "memory.budget", "is auto, and what the device has is not known here; give --memory, or a budget"};
    return refuse("the plan cannot be made", error, "", options.output);
  }
  fit::Predictor predictor(in.model.source, in.rows);
  predictor.setMachine(*machine);
  // By formulas first: where nothing fits, nothing need be measured.
  if (const Status done = search(predictor, in, answer); !done.ok())
    return refuse("the options cannot be used", run::Concern::Text, done.error(), options.output);
  if (knowsBudget && !anyFits(answer)) return refuseTooSmall(answer, options.output);
  if (!options.usesFormulas()) {
    if (limit != in.config.dataset.maxSeqLength) {
      const auto own = lengthsOf(in, in.config.dataset.maxSeqLength, scratch.path() / "data.bin");
      if (!own.ok()) return refuse("the data cannot be used", run::Concern::Dataset, own.error(), options.output);
    }
    run::ExitCode code = run::ExitCode::Done;
    auto measured = measureInto(predictor, options, in, scratch.path(), answer, code);
    if (!measured.ok() && measured.error().detail.empty()) return code;
    if (!measured.ok()) {
      const std::string next = "Give --flops, --bandwidth and --memory (or --computed) to plan by formulas alone, without the engine.";
      return refuse("the engine could not measure", measured.error(), next, options.output);
    }
    predictor.setMachine(*measured);
    if (const Status done = search(predictor, in, answer); !done.ok())
      return refuse("the options cannot be used", run::Concern::Text, done.error(), options.output);
  }
  answer.machine = predictor.machine();
  if (options.output == Output::Json) printPlanJson(answer);
  else printPlanTable(answer, options.best);
  std::fflush(stdout);
  return anyFits(answer) ? run::ExitCode::Done : refuseTooSmall(answer, options.output);
}

run::ExitCode plan(const Options& options) {
  std::vector<std::string> overrides = options.overrides;
  if (options.ranks > 0) overrides.push_back("parallel.ranks=" + std::to_string(options.ranks));
  auto parsed = run::loadConfig(options.config, overrides);
  if (!parsed.ok())
    return refuse("the configuration cannot be read", run::Concern::Configuration, parsed.error(), options.output);
  if (const auto problems = allProblems(*parsed); !problems.empty()) return refuseConfig(options.config, problems, options.output);
  Inputs in;
  in.config = parsed->config;
  for (const std::string& text : options.variations) {
    auto variation = fit::parseVariation(text);
    if (!variation.ok()) return refuse("the options cannot be used", run::Concern::Text, variation.error(), options.output);
    in.variations.push_back(std::move(variation).value());
  }
  for (fit::Variation& variation : fit::defaultVariations(in.config, in.variations)) in.variations.push_back(std::move(variation));
  auto model = checkModel(in.config);
  if (!model.ok()) return refuse("the model cannot be used", run::Concern::Model, model.error(), options.output);
  in.model = std::move(model).value();
  return answerFor(options, in);
}

}  // namespace

void addPlanCommand(CLI::App& app, Action& action) {
  auto options = std::make_shared<Options>();
  auto* command = app.add_subcommand("plan", "Tell what fits: micro-batch, activations, weights, predicted peak and tokens/s, without training");
  command->add_option("CONFIG", options->config, "YAML or JSON file")->required();
  command->add_option("--set", options->overrides, "Set one key (repeatable)")->type_name("KEY=VALUE")->allow_extra_args(false);
  command->add_option("--vary", options->variations,
                      "Search these values of a key (repeatable; by default micro-batch, memory.activations and memory.weights are searched)")
      ->type_name("KEY=A,B,C")->allow_extra_args(false);
  command->add_option("--best", options->best, "How many choices the table shows")->check(CLI::Range(1, 5000))->capture_default_str()->type_name("N");
  command->add_option("--ranks", options->ranks, "Ranks, as parallel.ranks")->check(CLI::Range(1, 1024))->type_name("N");
  const char* hardware = "Hardware that is not here (formulas alone; no training engine needed)";
  command->add_flag("--computed", options->isComputed, "By formulas alone, measuring nothing")->group(hardware);
  command->add_option("--flops", options->flops, "Operations per second of one rank's device in float32, such as 60T")->type_name("X")->group(hardware);
  command->add_option("--bandwidth", options->bandwidth, "Bytes per second that a rank receives, such as 12GiB")->type_name("BYTES")->group(hardware);
  command->add_option("--memory", options->memory, "Memory of one rank's device; the budget is 80 % of it")->type_name("BYTES")->group(hardware);
  command->add_option("--latency", options->latencyMicroseconds, "Microseconds of one message (default: 20)")->check(CLI::Range(0.0, 1e6))->type_name("US")->group(hardware);
  command->add_option("--efficiency", options->efficiencyPercent, "Percent of --flops that products reach (default: 50)")->check(CLI::Range(0.1, 100.0))->type_name("PERCENT")->group(hardware);
  addJsonFlag(*command, options->output);
  command->callback([options, &action] { action = [options] { return plan(*options); }; });
}

}  // namespace tidemark::cli
