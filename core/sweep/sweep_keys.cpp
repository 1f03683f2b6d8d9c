#include "core/sweep/sweep_keys.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>

#include "core/base/json.h"

namespace tidemark::sweep {
namespace {

using Kind = SweptKey::Kind;

struct Named {
  Kind kind;
  const char* name;
};
constexpr std::array<Named, 4> kKinds{
    {{Kind::Choice, "choice"}, {Kind::Uniform, "uniform"}, {Kind::LogUniform, "log_uniform"}, {Kind::Integer, "int"}}};

const char* nameOf(Kind kind) {
  for (const Named& named : kKinds)
    if (named.kind == kind) return named.name;
  return "";
}

std::optional<Kind> kindNamed(const std::string& name) {
  for (const Named& named : kKinds)
    if (name == named.name) return named.kind;
  return std::nullopt;
}

const run::KeyInfo* findKey(const std::string& key) {
  for (const run::KeyInfo& info : run::configKeys())
    if (info.key == key) return &info;
  return nullptr;
}

std::string unknownText(const std::string& key) {
  run::RunConfig config;
  const Status status = run::setKey(config, key, "");
  return status.ok() ? "" : status.error().detail;
}

Status checkValue(const std::string& key, const std::string& value) {
  run::RunConfig config;
  return run::setKey(config, key, value);
}

// What a distribution over numbers needs of its key and its ends.
std::string problemOfRange(const SweptKey& key, const run::KeyInfo& info) {
  const bool isWhole = info.kind == run::KeyInfo::Kind::Integer || info.kind == run::KeyInfo::Kind::Bytes;
  if (!isWhole && info.kind != run::KeyInfo::Kind::Real)
    return std::string("takes no number, so ") + nameOf(key.kind) + " cannot be drawn for it; list its values";
  if (isWhole && key.kind != Kind::Integer) return std::string("takes whole numbers; use int instead of ") + nameOf(key.kind);
  if (!isWhole && key.kind == Kind::Integer) return "takes any number; use uniform or log_uniform instead of int";
  if (!std::isfinite(key.low) || !std::isfinite(key.high) || key.low >= key.high)
    return std::string(nameOf(key.kind)) + " needs two numbers, the lower one first, such as [1, 8]";
  if (key.kind == Kind::LogUniform && key.low <= 0) return "log_uniform needs a lower end above 0";
  if (key.kind == Kind::Integer && (key.low != std::floor(key.low) || key.high != std::floor(key.high)))
    return "int needs two whole numbers";
  for (const double end : {key.low, key.high})
    if (const Status status = checkValue(key.key, formatNumber(end)); !status.ok()) return status.error().detail;
  return {};
}

std::string problemOfChoices(const SweptKey& key) {
  if (key.choices.empty()) return "has no value to try; list some, such as [1, 2]";
  for (const std::string& value : key.choices) {
    if (const Status status = checkValue(key.key, value); !status.ok()) return status.error().detail;
    if (std::count(key.choices.begin(), key.choices.end(), value) > 1) return "lists " + value + " twice";
  }
  return {};
}

std::string quoted(const std::string& text) {
  double number = 0;
  return parseNumber(text, number) ? text : Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
}

void fill(SweptKey& key, const run::DocumentEntry& entry) {
  const std::vector<std::string> items = entry.isList ? entry.items : std::vector<std::string>{entry.text};
  if (key.kind == Kind::Choice) {
    key.choices = items;
    return;
  }
  const bool isPair = items.size() == 2 && parseNumber(items[0], key.low) && parseNumber(items[1], key.high);
  if (!isPair) key.low = key.high = std::nan("");
}

}  // namespace

bool parseNumber(const std::string& text, double& value) {
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  return status == std::errc() && end == text.data() + text.size() && std::isfinite(value);
}

std::string formatNumber(double value) {
  char buffer[64];
  return {buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr};
}

void takeSweptKey(const run::DocumentEntry& entry, std::vector<SweptKey>& keys, std::vector<run::ConfigProblem>& problems) {
  const std::string where = entry.where.empty() ? "" : entry.where + ": ";
  SweptKey key;
  key.key = entry.key.substr(std::string(kKeysPrefix).size());
  if (!findKey(key.key)) {
    const size_t dot = key.key.rfind('.');
    const std::string owner = dot == std::string::npos ? "" : key.key.substr(0, dot);
    if (!findKey(owner)) return problems.push_back({entry.key, where + unknownText(key.key)});
    const auto kind = kindNamed(key.key.substr(dot + 1));
    if (!kind)
      return problems.push_back({kKeysPrefix + owner, where + key.key.substr(dot + 1) +
                                                          " is no distribution; use choice, uniform, log_uniform or int"});
    key.key = owner;
    key.kind = *kind;
  }
  if (std::any_of(keys.begin(), keys.end(), [&](const SweptKey& known) { return known.key == key.key; }))
    return problems.push_back({kKeysPrefix + key.key, where + "is given twice"});
  if (entry.isNull) return problems.push_back({kKeysPrefix + key.key, where + "has no value to try"});
  fill(key, entry);
  keys.push_back(std::move(key));
}

void checkSweptKey(const SweptKey& key, Mode mode, std::vector<run::ConfigProblem>& problems) {
  const std::string name = kKeysPrefix + key.key;
  const run::KeyInfo* info = findKey(key.key);
  if (!info) return problems.push_back({name, unknownText(key.key)});
  if (key.key == "output.dir") return problems.push_back({name, "cannot be swept: every run gets a folder of its own"});
  const std::string what = key.kind == Kind::Choice ? problemOfChoices(key) : problemOfRange(key, *info);
  if (!what.empty()) return problems.push_back({name, what});
  if (mode == Mode::Grid && key.kind != Kind::Choice)
    problems.push_back({name, std::string(nameOf(key.kind)) + " is for mode: random; a grid needs a list of values"});
}

std::string yamlOf(const SweptKey& key) {
  if (key.kind != Kind::Choice) return std::string("{") + nameOf(key.kind) + ": [" + formatNumber(key.low) + ", " + formatNumber(key.high) + "]}";
  std::string list;
  for (const std::string& value : key.choices) list += (list.empty() ? "" : ", ") + quoted(value);
  return "[" + list + "]";
}

}  // namespace tidemark::sweep
