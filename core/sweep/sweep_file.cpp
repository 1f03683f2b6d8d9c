// A sweep's file to a sweep and back.
#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>

#include "core/base/file.h"
#include "core/base/json.h"
#include "core/run/config_document.h"
#include "core/sweep/sweep.h"
#include "core/sweep/sweep_keys.h"

namespace tidemark::sweep {
namespace fs = std::filesystem;
namespace {

constexpr const char* kConfigPrefix = "config.";
constexpr int64_t kDefaultPart = 4;  // a run is not judged in its first quarter, unless the file says otherwise

// What the file says, until all of it is known.
struct Reading {
  ParsedSweep parsed;
  std::string basePath;
  run::ParsedConfig config;  // written out below config:
  bool hasConfig = false, hasAfter = false;

  void problem(const run::DocumentEntry& entry, const std::string& what) {
    parsed.problems.push_back({entry.key, (entry.where.empty() ? "" : entry.where + ": ") + what});
  }
};

void takeWhole(Reading& reading, const run::DocumentEntry& entry, int64_t& value) {
  const auto [end, status] = std::from_chars(entry.text.data(), entry.text.data() + entry.text.size(), value);
  if (status != std::errc() || end != entry.text.data() + entry.text.size())
    reading.problem(entry, "expects a whole number, not \"" + entry.text.substr(0, 80) + "\"");
}

void takeReal(Reading& reading, const run::DocumentEntry& entry, double& value) {
  if (!parseNumber(entry.text, value)) reading.problem(entry, "expects a number, not \"" + entry.text.substr(0, 80) + "\"");
}

template <typename Enum>
void takeWord(Reading& reading, const run::DocumentEntry& entry, std::initializer_list<Enum> all, Enum& value) {
  std::string names;
  for (const Enum candidate : all) {
    if (entry.text == nameOf(candidate)) {
      value = candidate;
      return;
    }
    names += std::string(names.empty() ? "" : ", ") + nameOf(candidate);
  }
  reading.problem(entry, "expects one of " + names + ", not \"" + entry.text.substr(0, 80) + "\"");
}

void takeRule(Reading& reading, const run::DocumentEntry& entry) {
  using Rule = EarlyStopping::Rule;
  takeWord(reading, entry, {Rule::None, Rule::Median, Rule::Halving}, reading.parsed.sweep.stopping.rule);
}

void takeOwnKey(Reading& reading, const run::DocumentEntry& entry) {
  Sweep& sweep = reading.parsed.sweep;
  if (entry.isNull) return reading.problem(entry, "has no value; give one, or leave the key out");
  if (entry.isList) return reading.problem(entry, "takes one value, not a list");
  if (entry.key == "name") sweep.name = entry.text;
  else if (entry.key == "base") reading.basePath = entry.text;
  else if (entry.key == "mode") takeWord(reading, entry, {Mode::Grid, Mode::Random}, sweep.mode);
  else if (entry.key == "objective") takeWord(reading, entry, {Objective::EvalLoss, Objective::Loss, Objective::TokensPerSecond}, sweep.objective);
  else if (entry.key == "count") takeWhole(reading, entry, sweep.count);
  else if (entry.key == "seed") takeWhole(reading, entry, sweep.seed);
  else if (entry.key == "seeds") takeWhole(reading, entry, sweep.seeds);
  else if (entry.key == "at_once") takeWhole(reading, entry, sweep.atOnce);
  else if (entry.key == "early_stopping" || entry.key == "early_stopping.rule") takeRule(reading, entry);
  else if (entry.key == "early_stopping.at_least") takeWhole(reading, entry, sweep.stopping.atLeast);
  else if (entry.key == "early_stopping.factor") takeReal(reading, entry, sweep.stopping.factor);
  else if (entry.key == "early_stopping.after") {
    takeWhole(reading, entry, sweep.stopping.after);
    reading.hasAfter = true;
  } else {
    reading.problem(entry, "is not a known key; a sweep has name, base or config, mode, count, seed, seeds, at_once, objective, "
                           "early_stopping (rule, after, at_least, factor) and keys");
  }
}

void takeConfigKey(Reading& reading, const run::DocumentEntry& entry) {
  reading.hasConfig = true;
  const std::string key = entry.key.substr(std::string(kConfigPrefix).size());
  std::string text = entry.text;
  if (entry.isList) {
    text = "[";
    for (const std::string& item : entry.items) text += (text.size() > 1 ? ", " : "") + item;
    text += "]";
  }
  const Status status = entry.isNull ? Status(Error{ErrorCode::InvalidConfig, key, "has no value"}) : run::setKey(reading.config.config, key, text);
  if (!status.ok()) reading.config.problems.push_back({key, (entry.where.empty() ? "" : entry.where + ": ") + status.error().detail});
}

// Those of single values: what is missing or does not go together is judged point by point.
void addValueProblems(const run::ParsedConfig& base, const std::string& prefix, std::vector<run::ConfigProblem>& problems) {
  const auto combined = run::validate(base.config);
  for (const run::ConfigProblem& problem : base.problems) {
    const bool isOfPoints = std::any_of(combined.begin(), combined.end(), [&](const run::ConfigProblem& other) {
      return other.key == problem.key && other.what == problem.what;
    });
    if (!isOfPoints) problems.push_back({prefix + problem.key, problem.what});
  }
}

Status takeBase(Reading& reading, const fs::path& folder, const std::vector<std::string>& overrides) {
  auto& problems = reading.parsed.problems;
  if (reading.hasConfig == !reading.basePath.empty()) {
    problems.push_back({"base", reading.hasConfig ? "is given, and so is config; use one of them"
                                                  : "is required: the configuration that the runs share, such as base: my.yaml"});
    return {};
  }
  if (reading.hasConfig) {
    TIDEMARK_ASSIGN(const auto config, run::completeConfig(std::move(reading.config), folder.string(), overrides));
    reading.parsed.sweep.base = config.config;
    addValueProblems(config, kConfigPrefix, problems);
    return {};
  }
  const char* home = std::getenv("HOME");
  const bool isAtHome = home && reading.basePath.starts_with("~/");
  const fs::path path = isAtHome ? fs::path(home) / reading.basePath.substr(2) : folder / reading.basePath;
  auto config = run::loadConfig(path.lexically_normal().string(), overrides);
  if (!config.ok()) return config.error().within("the base of the sweep");
  reading.parsed.sweep.base = config->config;
  addValueProblems(*config, reading.basePath + ": ", problems);
  return {};
}

// Files that are tried lie where the sweep's file says, as those of the base do.
Status makePathsAbsolute(std::vector<SweptKey>& keys, const fs::path& folder) {
  for (SweptKey& key : keys) {
    const bool namesFiles = key.key == "model" || key.key == "dataset.train" || key.key == "dataset.eval";
    if (!namesFiles) continue;
    for (std::string& choice : key.choices) {
      run::ParsedConfig config;
      if (!run::setKey(config.config, key.key, choice).ok()) continue;  // told by validate()
      TIDEMARK_ASSIGN(const auto complete, run::completeConfig(config, folder.string(), {}));
      for (const auto& [name, value] : run::flatten(complete.config))
        if (name == key.key) choice = value;
    }
  }
  return {};
}

std::string quoted(const std::string& text) { return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace); }

std::string indented(const std::string& yaml) {
  std::string text;
  for (size_t start = 0; start < yaml.size();) {
    const size_t end = yaml.find('\n', start);
    text += "  " + yaml.substr(start, end - start) + "\n";
    start = end + 1;
  }
  return text;
}

}  // namespace

Result<ParsedSweep> loadSweep(const std::string& path, const std::vector<std::string>& overrides) {
  TIDEMARK_ASSIGN(const std::string text, readFile(path, run::kMaxConfigBytes));
  Reading reading;
  if (text.find_first_not_of(" \t\r\n") == std::string::npos) {
    reading.parsed.problems.push_back({"", "is empty; at least base and keys are needed"});
    return reading.parsed;
  }
  const run::Document document = run::parseDocument(text);
  if (!document.problems.empty()) return ParsedSweep{{}, document.problems};
  for (const run::DocumentEntry& entry : document.entries) {
    if (entry.key == "keys" && entry.isNull) continue;  // told as a sweep without keys
    if (entry.key.starts_with(kKeysPrefix)) takeSweptKey(entry, reading.parsed.sweep.keys, reading.parsed.problems);
    else if (entry.key.starts_with(kConfigPrefix)) takeConfigKey(reading, entry);
    else takeOwnKey(reading, entry);
  }
  TIDEMARK_TRY(takeBase(reading, fs::path(path).parent_path(), overrides));
  Sweep& sweep = reading.parsed.sweep;
  TIDEMARK_TRY(makePathsAbsolute(sweep.keys, fs::path(path).parent_path()));
  if (sweep.name.empty()) sweep.name = fs::path(path).stem().string();
  if (!reading.hasAfter) sweep.stopping.after = std::max<int64_t>(1, sweep.base.training.maxSteps / kDefaultPart);
  const auto found = validate(sweep);
  const bool isBaseKnown = reading.hasConfig != !reading.basePath.empty();
  for (const run::ConfigProblem& problem : found)
    if (isBaseKnown || problem.key.starts_with(kKeysPrefix)) reading.parsed.problems.push_back(problem);
  return reading.parsed;
}

std::string toYaml(const Sweep& sweep) {
  std::string yaml = "name: " + quoted(sweep.name) + "\nmode: " + nameOf(sweep.mode) + "\n";
  if (sweep.mode == Mode::Random) yaml += "count: " + std::to_string(sweep.count) + "\n";
  yaml += "seed: " + std::to_string(sweep.seed) + "\nseeds: " + std::to_string(sweep.seeds) + "\nat_once: " + std::to_string(sweep.atOnce) +
          "\nobjective: " + nameOf(sweep.objective) + "\n";
  const EarlyStopping& stopping = sweep.stopping;
  yaml += std::string("early_stopping: {rule: ") + nameOf(stopping.rule) + ", after: " + std::to_string(stopping.after) +
          ", at_least: " + std::to_string(stopping.atLeast) + ", factor: " + formatNumber(stopping.factor) + "}\nkeys:\n";
  for (const SweptKey& key : sweep.keys) yaml += "  " + key.key + ": " + yamlOf(key) + "\n";
  return yaml + "config:\n" + indented(run::toYaml(sweep.base));
}

}  // namespace tidemark::sweep
