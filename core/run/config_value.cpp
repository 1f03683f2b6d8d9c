// Text to value and back for each kind of key.
#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/base/bytes.h"
#include "core/run/config_keys.h"

namespace tidemark::run {
namespace {

using Kind = KeyInfo::Kind;

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

std::string quoted(const std::string& text) {
  return "\"" + (text.size() > 80 ? text.substr(0, 80) + "..." : text) + "\"";
}

std::string trimmed(const std::string& text) {
  const size_t first = text.find_first_not_of(" \t");
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

Error wrong(const Field& field, const std::string& detail) { return {ErrorCode::InvalidConfig, field.info.key, detail}; }

std::string rangeText(const Field& field) {
  const Range& range = field.range;
  const auto shown = [&](double bound) {
    return field.info.kind == Kind::Bytes ? formatBytes(static_cast<int64_t>(bound)) : formatReal(bound);
  };
  const bool isAuto = field.isAutoWhenZero;
  const double low = isAuto ? (field.info.kind == Kind::Bytes ? double(1 << 20) : 1) : range.low;
  return std::string("must be ") + (isAuto ? "auto, or " : "") + (range.excludesLow ? "greater than " : "at least ") +
         shown(low) + " and " + (range.excludesHigh ? "less than " : "at most ") + shown(range.high);
}

// A decimal integer without leading zeros (which some YAML readers take for octal).
bool parseInteger(const std::string& text, int64_t& value) {
  const size_t digits = text.starts_with('-') ? 1 : 0;
  if (text.size() > digits + 1 && text[digits] == '0') return false;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  return status == std::errc() && end == text.data() + text.size();
}

Status setInteger(const Field& field, const std::string& text, int64_t& value) {
  if (field.isAutoWhenZero && text == "auto") {
    value = 0;
    return {};
  }
  if (field.info.kind == Kind::Bytes) {
    auto bytes = parseBytes(text);
    if (!bytes.ok()) return wrong(field, "expects auto or an amount such as 8GiB or 900MiB, not " + quoted(text));
    value = *bytes;
    return {};
  }
  if (!parseInteger(text, value))
    return wrong(field, std::string("expects ") + (field.isAutoWhenZero ? "auto or " : "") + "a whole number, not " + quoted(text));
  return {};
}

Status setBoolean(const Field& field, const std::string& text, bool& value) {
  if (text != "true" && text != "false") return wrong(field, "expects true or false, not " + quoted(text));
  value = text == "true";
  return {};
}

Status setReal(const Field& field, const std::string& text, double& value) {
  if (!parseReal(text, value)) return wrong(field, "expects a number, not " + quoted(text));
  return {};
}

// "[a, b]", "a, b" or "a".
std::vector<std::string> splitList(std::string text) {
  text = trimmed(text);
  if (text.starts_with('[') && text.ends_with(']')) text = trimmed(text.substr(1, text.size() - 2));
  std::vector<std::string> items;
  size_t start = 0;
  while (!text.empty() && start <= text.size()) {
    const size_t comma = std::min(text.find(',', start), text.size());
    items.push_back(trimmed(text.substr(start, comma - start)));
    start = comma + 1;
  }
  return items;
}

Status setText(const Field& field, const std::string& text, const Slot& slot) {
  if (auto* value = std::get_if<int64_t*>(&slot)) return setInteger(field, text, **value);
  if (auto* value = std::get_if<double*>(&slot)) return setReal(field, text, **value);
  if (auto* value = std::get_if<bool*>(&slot)) return setBoolean(field, text, **value);
  if (auto* value = std::get_if<std::vector<std::string>*>(&slot)) **value = splitList(text);
  if (auto* value = std::get_if<std::string*>(&slot)) **value = text;
  return {};
}

Status checkNumber(const Field& field, double value) {
  const Range& range = field.range;
  const bool isLow = range.excludesLow ? value <= range.low : value < range.low;
  const bool isHigh = range.excludesHigh ? value >= range.high : value > range.high;
  if (!std::isfinite(value) || isLow || isHigh) return wrong(field, rangeText(field) + ", not " + formatReal(value));
  if (field.info.kind == Kind::Bytes && value > 0 && value < (1 << 20))
    return wrong(field, "is only " + formatBytes(static_cast<int64_t>(value)) + "; give the unit, such as 8GiB");
  return {};
}

Status checkText(const Field& field, const std::string& value) {
  if (field.info.kind != Kind::Choice) {
    if (value.find('\0') != std::string::npos) return wrong(field, "contains a NUL character");
    if (value.empty() && !field.info.isRequired) return wrong(field, "must not be empty");
    return {};
  }
  const auto& choices = field.info.choices;
  if (std::find(choices.begin(), choices.end(), value) != choices.end()) return {};
  if (field.info.key == "training.dtype" && (value == "bfloat16" || value == "float16"))
    return wrong(field, value + " is not there yet; use float32");
  return wrong(field, std::string("expects ") + (choices.size() == 1 ? "" : "one of ") + joined(choices) + ", not " + quoted(value));
}

Status checkList(const Field& field, const std::vector<std::string>& items) {
  const auto& choices = field.info.choices;
  if (items.empty()) return wrong(field, "must name at least one of " + joined(choices));
  for (const std::string& item : items) {
    if (std::find(choices.begin(), choices.end(), item) == choices.end())
      return wrong(field, "does not know " + quoted(item) + "; choose from " + joined(choices));
    if (std::count(items.begin(), items.end(), item) > 1) return wrong(field, "names " + item + " twice");
    if (item == "all-linear" && items.size() > 1) return wrong(field, "takes all-linear alone, or a list of projections");
  }
  return {};
}

}  // namespace

bool parseReal(const std::string& text, double& value) {
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  return status == std::errc() && end == text.data() + text.size() && std::isfinite(value);
}

std::string formatReal(double value) {
  char buffer[64];
  const double size = std::abs(value);
  const bool isPlain = value == 0 || (size >= 1e-5 && size < 1e15);
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value,
                                 isPlain ? std::chars_format::fixed : std::chars_format::scientific).ptr;
  std::string text(buffer, end);
  // YAML 1.1 readers take an exponent for a number only after a decimal point.
  const size_t exponent = text.find('e');
  if (exponent != std::string::npos && text.find('.') == std::string::npos) text.insert(exponent, ".0");
  return text;
}

Status assign(RunConfig& config, const Field& field, const std::string& text) {
  RunConfig changed = config;
  const Slot slot = field.slot(changed);
  const bool isText = std::holds_alternative<std::string*>(slot);
  TIDEMARK_TRY(setText(field, isText ? text : trimmed(text), slot));
  TIDEMARK_TRY(checkField(changed, field));
  config = std::move(changed);
  return {};
}

Status assignList(RunConfig& config, const Field& field, const std::vector<std::string>& items) {
  RunConfig changed = config;
  const Slot slot = field.slot(changed);
  auto* list = std::get_if<std::vector<std::string>*>(&slot);
  if (!list) return wrong(field, "takes one value, not a list");
  **list = items;
  TIDEMARK_TRY(checkField(changed, field));
  config = std::move(changed);
  return {};
}

std::string textOf(const RunConfig& config, const Field& field) {
  RunConfig copy = config;
  const Slot slot = field.slot(copy);
  if (auto* text = std::get_if<std::string*>(&slot)) return **text;
  if (auto* flag = std::get_if<bool*>(&slot)) return **flag ? "true" : "false";
  if (auto* real = std::get_if<double*>(&slot)) return formatReal(**real);
  if (auto* list = std::get_if<std::vector<std::string>*>(&slot))
    return **list == std::vector<std::string>{"all-linear"} ? "all-linear" : "[" + joined(**list) + "]";
  const int64_t value = *std::get<int64_t*>(slot);
  if (value == 0 && field.isAutoWhenZero) return "auto";
  if (field.info.kind == Kind::Bytes && value >= (1 << 30) && value % (1 << 30) == 0) return std::to_string(value >> 30) + "GiB";
  if (field.info.kind == Kind::Bytes && value >= (1 << 20) && value % (1 << 20) == 0) return std::to_string(value >> 20) + "MiB";
  return std::to_string(value);
}

Status checkField(const RunConfig& config, const Field& field) {
  RunConfig copy = config;
  const Slot slot = field.slot(copy);
  if (auto* text = std::get_if<std::string*>(&slot)) return checkText(field, **text);
  if (auto* list = std::get_if<std::vector<std::string>*>(&slot)) return checkList(field, **list);
  if (auto* real = std::get_if<double*>(&slot)) return checkNumber(field, **real);
  if (auto* integer = std::get_if<int64_t*>(&slot)) return checkNumber(field, static_cast<double>(**integer));
  return {};
}

}  // namespace tidemark::run
