// Tells a file that is no JSONL at all from one with bad rows, so that one thing is said of it and not one of every line.
#pragma once

#include <filesystem>
#include <string_view>

#include "core/base/result.h"

namespace tidemark::text {

// InvalidInput with what the file is and how to make JSONL of it: a JSON array, objects that go over several lines, a
// Parquet or compressed file.
Status checkDatasetShape(const std::filesystem::path& path, std::string_view content);

}  // namespace tidemark::text
