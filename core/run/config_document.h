// The values in a configuration text with their dotted keys and positions; knows YAML and JSON, but no keys.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/run/config.h"

namespace tidemark::run {

struct DocumentEntry {
  std::string key;                 // "training.learning_rate"
  bool isNull = false, isList = false;
  std::string text = {};           // of a scalar
  std::vector<std::string> items = {};  // of a list
  std::string where = {};          // "line 3, column 5"; empty for JSON
};

struct Document {
  std::vector<DocumentEntry> entries;
  std::vector<ConfigProblem> problems;  // of the text as a whole: then there are no entries
};

constexpr size_t kMaxConfigBytes = 1 << 20;

// Refuses what a configuration does not need and what could exhaust memory: anchors, aliases, tags, deep nesting,
// several documents, duplicate keys, texts beyond kMaxConfigBytes.
Document parseDocument(std::string_view text);

}  // namespace tidemark::run
