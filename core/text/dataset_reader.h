// Reads a JSONL file into rows, with file, line and column of everything that is wrong in it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/file.h"
#include "core/text/dataset_row.h"
#include "core/text/row_problems.h"

namespace tidemark::text {

// Where the text of one line lies in its file.
struct LinePlace {
  int64_t line = 0;  // from 1
  uint64_t begin = 0, bytes = 0;
};

// A line that is not blank: its row, or what is wrong with it.
struct SourceLine {
  LinePlace place;
  std::string_view text;  // lives as long as the reader
  std::optional<SourceRow> row;
  RowProblem problem;  // if there is no row
};

// Goes through a file once, line by line, so that the caller can show how far it is, and stop.
class SourceReader {
 public:
  static Result<SourceReader> open(const std::filesystem::path& path, DatasetFormat format);

  std::optional<SourceLine> next();  // none: the end

  DatasetFormat format() const { return format_; }  // as detected so far; Auto before the first usable row
  int64_t blankLines() const { return blankLines_; }
  bool hasByteOrderMark() const { return hasByteOrderMark_; }
  uint64_t bytesRead() const { return whole_.size() - rest_.size(); }
  uint64_t bytes() const { return whole_.size(); }

 private:
  SourceReader() = default;
  SourceLine readLine(std::string_view text, const LinePlace& place);
  std::optional<std::string> settleFormat(const Json& row, int64_t line);

  MappedFile file_;
  std::string name_;
  std::string_view whole_, rest_;
  DatasetFormat format_ = DatasetFormat::Auto;
  bool isDetecting_ = false, hasByteOrderMark_ = false;
  int64_t line_ = 0, blankLines_ = 0, decidedBy_ = 0;
};

// The row in the text of one line, of a form that is known.
Result<SourceRow> parseRow(std::string_view text, DatasetFormat format);

struct SourceFile {
  std::vector<SourceRow> rows;
  DatasetFormat format = DatasetFormat::Auto;  // as detected; Auto if there are no usable rows
  int64_t blankLines = 0;
};

// The whole file. Malformed rows are added to `problems`; the error is only for a file that cannot be read at all.
Result<SourceFile> readSourceFile(const std::filesystem::path& path, DatasetFormat format, RowProblems& problems);

}  // namespace tidemark::text
