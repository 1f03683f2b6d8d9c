#include "core/run/config.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>

#include "core/base/file.h"
#include "core/base/json.h"
#include "core/run/config_document.h"
#include "core/run/config_keys.h"

namespace tidemark::run {
namespace fs = std::filesystem;

namespace {

constexpr size_t kMaxProblems = 100;

void addProblem(ParsedConfig& parsed, ConfigProblem problem) {
  if (parsed.problems.size() == kMaxProblems) problem = {"", "has more problems than are listed here"};
  if (parsed.problems.size() <= kMaxProblems) parsed.problems.push_back(std::move(problem));
}

void apply(const DocumentEntry& entry, ParsedConfig& parsed) {
  const Field* field = findField(entry.key);
  const std::string where = entry.where.empty() ? "" : entry.where + ": ";
  const std::string key = entry.key.size() > 80 ? entry.key.substr(0, 80) + "..." : entry.key;
  if (!field) {
    if (entry.isNull && isSection(entry.key)) return;  // a section without keys
    return addProblem(parsed, {key, where + unknownKeyText(entry.key)});
  }
  if (entry.isNull) return addProblem(parsed, {key, where + "has no value; give one, or leave the key out"});
  const Status status = entry.isList ? assignList(parsed.config, *field, entry.items) : assign(parsed.config, *field, entry.text);
  if (!status.ok()) addProblem(parsed, {key, where + status.error().detail});
}

ParsedConfig parseValues(const std::string& text) {
  ParsedConfig parsed;
  const Document document = parseDocument(text);
  for (const ConfigProblem& problem : document.problems) addProblem(parsed, problem);
  for (const DocumentEntry& entry : document.entries)
    if (parsed.problems.size() <= kMaxProblems) apply(entry, parsed);
  return parsed;
}

// A text that could not be read at all has no values to check.
void addValidation(ParsedConfig& parsed) {
  std::set<std::string> told;
  for (const ConfigProblem& problem : parsed.problems) told.insert(problem.key);
  if (told.size() == 1 && told.contains("")) return;
  for (ConfigProblem& problem : validateRest(parsed.config, told)) addProblem(parsed, std::move(problem));
}

std::string absolute(const std::string& path, const fs::path& folder) {
  const char* home = std::getenv("HOME");
  if (home && path.starts_with("~/")) return (fs::path(home) / path.substr(2)).lexically_normal().string();
  return (folder / path).lexically_normal().string();  // an absolute path replaces the folder
}

void resolvePath(RunConfig& config, const std::string& key, const fs::path& folder) {
  double fraction = 0;
  std::error_code ignored;
  if (key == "model" && !config.model.empty()) {
    const std::string path = absolute(config.model, folder);
    if (fs::exists(path, ignored)) config.model = path;  // otherwise it may be org/name in the hub cache
  } else if (key == "dataset.train" && !config.dataset.train.empty()) {
    config.dataset.train = absolute(config.dataset.train, folder);
  } else if (key == "dataset.eval" && !config.dataset.eval.empty() && !parseReal(config.dataset.eval, fraction)) {
    config.dataset.eval = absolute(config.dataset.eval, folder);
  } else if (key == "output.dir" && !config.output.dir.empty() && config.output.dir != "auto") {
    config.output.dir = absolute(config.output.dir, folder);
  }
}

void applyOverride(const std::string& text, const fs::path& workingDirectory, ParsedConfig& parsed) {
  const size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) return addProblem(parsed, {text, "is not of the form key=value"});
  const std::string key = text.substr(0, equals);
  const Status status = setKey(parsed.config, key, text.substr(equals + 1));
  if (!status.ok()) return addProblem(parsed, {key, status.error().detail});
  resolvePath(parsed.config, key, workingDirectory);
}

// Plain where every YAML reader takes it for the same text; otherwise in double quotes, as JSON would write it.
std::string yamlText(const std::string& text) {
  static const std::string kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-";
  static const std::vector<std::string> kWords{"true", "false", "null", "yes", "no", "on", "off", "y", "n"};
  std::string lower = text;
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const bool isWord = std::find(kWords.begin(), kWords.end(), lower) != kWords.end();
  const bool startsPlain = !text.empty() && (std::isalpha(static_cast<unsigned char>(text[0])) || text[0] == '/');
  double number = 0;
  const bool isPlain = (startsPlain && text.find_first_not_of(kPlain) == std::string::npos && !isWord) || parseReal(text, number);
  return isPlain ? text : Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

ParsedConfig parseConfig(const std::string& yaml) {
  ParsedConfig parsed = parseValues(yaml);
  addValidation(parsed);
  return parsed;
}

Result<ParsedConfig> completeConfig(ParsedConfig parsed, const std::string& folder, const std::vector<std::string>& overrides) {
  std::error_code failure;
  const fs::path workingDirectory = fs::current_path(failure);
  if (failure) return Error{ErrorCode::Io, "working directory", failure.message()};
  for (const char* key : {"model", "dataset.train", "dataset.eval", "output.dir"}) resolvePath(parsed.config, key, workingDirectory / folder);
  for (const std::string& text : overrides) applyOverride(text, workingDirectory, parsed);
  addValidation(parsed);
  return parsed;
}

Result<ParsedConfig> loadConfig(const std::string& path, const std::vector<std::string>& overrides) {
  TIDEMARK_ASSIGN(const std::string text, readFile(path, kMaxConfigBytes));
  return completeConfig(parseValues(text), fs::path(path).parent_path().string(), overrides);
}

std::string toYaml(const RunConfig& config) {
  std::string yaml, section;
  for (const Field& field : fields()) {
    const std::string& key = field.info.key;
    const size_t dot = key.find('.');
    const std::string owner = dot == std::string::npos ? "" : key.substr(0, dot);
    if (owner != section) yaml += owner + ":\n";
    section = owner;
    RunConfig copy = config;
    const bool isText = std::holds_alternative<std::string*>(field.slot(copy));
    const std::string value = textOf(config, field);
    yaml += (owner.empty() ? "" : "  ") + key.substr(dot == std::string::npos ? 0 : dot + 1) + ": " +
            (isText ? yamlText(value) : value) + "\n";
  }
  return yaml;
}

std::vector<std::pair<std::string, std::string>> flatten(const RunConfig& config) {
  std::vector<std::pair<std::string, std::string>> values;
  for (const Field& field : fields()) values.emplace_back(field.info.key, textOf(config, field));
  return values;
}

Status setKey(RunConfig& config, const std::string& key, const std::string& value) {
  const Field* field = findField(key);
  if (!field) return Error{ErrorCode::InvalidConfig, key, unknownKeyText(key)};
  return assign(config, *field, value);
}

}  // namespace tidemark::run
