// JSON text from outside, parsed with limits: size, depth and duplicate keys are checked before anything is built.
#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

#include "core/base/result.h"

namespace tidemark {

using Json = nlohmann::json;

struct JsonLimits {
  size_t maxBytes = 64ull << 20;
  int maxDepth = 64;
};

// Errors name line and column. Duplicate keys in one object are refused. A leading byte order mark is skipped.
Result<Json> parseJson(std::string_view text, const std::string& subject, JsonLimits limits = {});

}  // namespace tidemark
