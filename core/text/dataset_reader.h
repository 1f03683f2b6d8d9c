// Reads a JSONL file into rows, with file, line and column of everything that is wrong in it.
#pragma once

#include <filesystem>
#include <vector>

#include "core/text/dataset_row.h"
#include "core/text/row_problems.h"

namespace tidemark::text {

struct SourceFile {
  std::vector<SourceRow> rows;
  DatasetFormat format = DatasetFormat::Auto;  // as detected; Auto if there are no usable rows
  int64_t blankLines = 0;
};

// Malformed rows are added to `problems`; the error is only for a file that cannot be read at all.
Result<SourceFile> readSourceFile(const std::filesystem::path& path, DatasetFormat format, RowProblems& problems);

}  // namespace tidemark::text
