#include "core/text/dataset_reader.h"

#include <charconv>

#include "core/text/dataset_shape.h"

namespace tidemark::text {
namespace {

constexpr JsonLimits kRowLimits{.maxBytes = 64ull << 20, .maxDepth = 32};
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

// parseJson says "line 1, column 7: ..." where it knows the place; the line is that of the row, known better here.
void splitPlace(std::string text, RowProblem& problem) {
  constexpr std::string_view kPrefix = "line 1, column ";
  problem.what = text;
  if (!text.starts_with(kPrefix)) return;
  const char* first = text.data() + kPrefix.size();
  const char* last = text.data() + text.size();
  const auto [end, failure] = std::from_chars(first, last, problem.column);
  if (failure == std::errc() && std::string_view(end, static_cast<size_t>(last - end)).starts_with(": "))
    problem.what = std::string(end + 2, last);
}

std::string_view viewOf(const MappedFile& file) {
  const auto bytes = file.bytes();
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

Result<SourceReader> SourceReader::open(const std::filesystem::path& path, DatasetFormat format) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored))
    return Error{ErrorCode::InvalidConfig, path.string(), "is a folder; give a file with one JSON object a line (JSONL)"};
  SourceReader reader;
  TIDEMARK_ASSIGN(reader.file_, MappedFile::open(path));
  TIDEMARK_TRY(checkDatasetShape(path, viewOf(reader.file_)));
  reader.name_ = path.string();
  reader.whole_ = reader.rest_ = viewOf(reader.file_);
  reader.format_ = format;
  reader.isDetecting_ = format == DatasetFormat::Auto;
  reader.hasByteOrderMark_ = reader.rest_.starts_with(kByteOrderMark);
  if (reader.hasByteOrderMark_) reader.rest_.remove_prefix(kByteOrderMark.size());
  return reader;
}

std::optional<SourceLine> SourceReader::next() {
  while (!rest_.empty()) {
    LinePlace place{++line_, bytesRead(), 0};
    const size_t end = std::min(rest_.find('\n'), rest_.size());
    std::string_view text = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    if (text.ends_with('\r')) text.remove_suffix(1);
    place.bytes = text.size();
    if (text.find_first_not_of(" \t\r") != std::string_view::npos) return readLine(text, place);
    ++blankLines_;
  }
  return std::nullopt;
}

SourceLine SourceReader::readLine(std::string_view text, const LinePlace& place) {
  SourceLine line{place, text, std::nullopt, {name_, place.line, 0, "", true}};
  auto json = parseJson(text, "", kRowLimits);
  if (!json.ok()) {
    splitPlace(json.error().detail, line.problem);
    return line;
  }
  if (isDetecting_) {
    if (auto objection = settleFormat(*json, place.line)) {
      line.problem.what = std::move(*objection);
      return line;
    }
  }
  auto row = readRow(*json, format_);
  if (!row.ok()) {
    line.problem.what = row.error().detail;
    return line;
  }
  row->line = place.line;
  line.row = std::move(row).value();
  return line;
}

// The first row that has a known form decides; a row of another one is an error.
std::optional<std::string> SourceReader::settleFormat(const Json& row, int64_t line) {
  const auto found = detectFormat(row);
  if (!found.ok()) return found.error().detail;
  if (format_ == DatasetFormat::Auto) {
    format_ = *found;
    decidedBy_ = line;
  }
  if (*found == format_) return std::nullopt;
  return "has the form " + nameOf(*found) + ", but line " + std::to_string(decidedBy_) + " has the form " +
         nameOf(format_) + "; a dataset has one form";
}

Result<SourceRow> parseRow(std::string_view text, DatasetFormat format) {
  TIDEMARK_ASSIGN(const Json json, parseJson(text, "", kRowLimits));
  return readRow(json, format);
}

Result<SourceFile> readSourceFile(const std::filesystem::path& path, DatasetFormat format, RowProblems& problems) {
  TIDEMARK_ASSIGN(SourceReader reader, SourceReader::open(path, format));
  SourceFile file;
  while (auto line = reader.next()) {
    if (line->row) file.rows.push_back(std::move(*line->row));
    else problems.add(std::move(line->problem));
  }
  file.format = reader.format();
  file.blankLines = reader.blankLines();
  return file;
}

}  // namespace tidemark::text
