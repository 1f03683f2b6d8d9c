// Where each configuration key lies in RunConfig and which values it takes; internal to core/run.
#pragma once

#include <limits>
#include <set>
#include <variant>

#include "core/run/config.h"

namespace tidemark::run {

using Slot = std::variant<std::string*, int64_t*, double*, bool*, std::vector<std::string>*>;

// The numbers that a key accepts. Bounds are inclusive unless said otherwise.
struct Range {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool excludesLow = false, excludesHigh = false;
};

struct Field {
  KeyInfo info;
  Slot (*slot)(RunConfig&);
  Range range;
  bool isAutoWhenZero = false;  // written as "auto", kept as 0
};

const std::vector<Field>& fields();          // in the order of design.md section 9
const Field* findField(const std::string& key);
bool isSection(const std::string& name);     // "training"
// What to say about a key that does not exist: names the nearest one.
std::string unknownKeyText(const std::string& key);

// Sets one value; the detail of an error says what is expected. Ranges are checked, combinations are not.
Status assign(RunConfig& config, const Field& field, const std::string& text);
Status assignList(RunConfig& config, const Field& field, const std::vector<std::string>& items);
// The value as it is written in YAML, without quotes.
std::string textOf(const RunConfig& config, const Field& field);
// Whether the present value is one that the key takes.
Status checkField(const RunConfig& config, const Field& field);
// What validate() finds, without more about keys whose problem was told already.
std::vector<ConfigProblem> validateRest(const RunConfig& config, const std::set<std::string>& toldKeys);

std::string formatReal(double value);        // shortest text that reads back as the same number
bool parseReal(const std::string& text, double& value);

}  // namespace tidemark::run
