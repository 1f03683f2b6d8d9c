// The points of one timeline as compact bytes, as they lie in the database; the format is in SCHEMA.md.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/run/event.h"

namespace tidemark::storage {

std::string encodePoints(const std::vector<run::MemoryPoint>& points);
Result<std::vector<run::MemoryPoint>> decodePoints(std::string_view blob);

}  // namespace tidemark::storage
