#include "core/text/dataset_reader.h"

#include <charconv>
#include <optional>

#include "core/base/file.h"

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

class Reader {
 public:
  Reader(const std::filesystem::path& path, DatasetFormat format, RowProblems& problems)
      : name_(path.string()), problems_(problems) {
    file_.format = format;
    isDetecting_ = format == DatasetFormat::Auto;
  }

  SourceFile read(std::string_view content) {
    if (content.starts_with(kByteOrderMark)) content.remove_prefix(kByteOrderMark.size());
    for (int64_t line = 1; !content.empty(); ++line) {
      const size_t end = std::min(content.find('\n'), content.size());
      std::string_view text = content.substr(0, end);
      if (text.ends_with('\r')) text.remove_suffix(1);
      if (text.find_first_not_of(" \t\r") == std::string_view::npos) ++file_.blankLines;
      else readLine(text, line);
      content.remove_prefix(std::min(end + 1, content.size()));
    }
    return std::move(file_);
  }

 private:
  void refuse(int64_t line, const std::string& what) { problems_.add({name_, line, 0, what, true}); }

  void readLine(std::string_view text, int64_t line) {
    auto json = parseJson(text, "", kRowLimits);
    if (!json.ok()) {
      RowProblem problem{name_, line, 0, "", true};
      splitPlace(json.error().detail, problem);
      problems_.add(std::move(problem));
      return;
    }
    if (line == 1 && json->is_array())
      return refuse(line, "is a JSON array; a dataset has one JSON object a line (JSONL)");
    if (isDetecting_ && !settleFormat(*json, line)) return;
    auto row = readRow(*json, file_.format);
    if (!row.ok()) return refuse(line, row.error().detail);
    row->line = line;
    file_.rows.push_back(std::move(row).value());
  }

  // The first row that has a known form decides; a row of another one is an error.
  bool settleFormat(const Json& row, int64_t line) {
    const auto found = detectFormat(row);
    if (!found.ok()) {
      refuse(line, found.error().detail);
      return false;
    }
    if (file_.format == DatasetFormat::Auto) {
      file_.format = *found;
      decidedBy_ = line;
    }
    if (*found == file_.format) return true;
    refuse(line, "has the form " + nameOf(*found) + ", but line " + std::to_string(decidedBy_) + " has the form " +
                     nameOf(file_.format) + "; a dataset has one form");
    return false;
  }

  std::string name_;
  RowProblems& problems_;
  SourceFile file_;
  bool isDetecting_ = false;
  int64_t decidedBy_ = 0;
};

}  // namespace

Result<SourceFile> readSourceFile(const std::filesystem::path& path, DatasetFormat format, RowProblems& problems) {
  TIDEMARK_ASSIGN(const MappedFile file, MappedFile::open(path));
  const auto bytes = file.bytes();
  return Reader(path, format, problems).read({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

}  // namespace tidemark::text
