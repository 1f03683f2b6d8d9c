#include "core/text/dataset_shape.h"

#include <algorithm>
#include <string>

#include "core/base/json.h"

namespace tidemark::text {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
constexpr std::string_view kBlank = " \t\r\n";
constexpr std::string_view kRow = "a dataset has one JSON object a line (JSONL)";

struct Magic {
  std::string_view bytes;
  const char* what;
};
constexpr Magic kOthers[] = {{"PAR1", "a Parquet file"},
                             {"\x1f\x8b", "a gzip file"},
                             {"PK\x03\x04", "a ZIP file"},
                             {"\x28\xb5\x2f\xfd", "a Zstandard file"}};

// The way from what `expression` makes of the parsed file to JSONL, as a command to copy.
std::string conversion(const fs::path& path, const std::string& expression) {
  fs::path target = path.filename();
  target.replace_extension(".rows.jsonl");
  return "\nTo convert it: python3 -c 'import json, sys; [print(json.dumps(row)) for row in " + expression + "]' < '" +
         path.string() + "' > '" + target.string() + "'";
}

// Whether the text begins with an object that is complete only some lines further down.
bool isSpreadObject(std::string_view text) {
  const std::string_view first = text.substr(0, text.find('\n'));
  if (!text.starts_with('{') || first.size() == text.size()) return false;
  int depth = 0;
  bool isInText = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (isInText && c == '\\') ++i;
    else if (c == '"') isInText = !isInText;
    else if (!isInText && (c == '{' || c == '[')) ++depth;
    else if (!isInText && (c == '}' || c == ']') && --depth == 0) return i > first.size() && Json::accept(text.substr(0, i + 1));
    else if (isInText && c == '\n') return false;
  }
  return false;
}

}  // namespace

Status checkDatasetShape(const fs::path& path, std::string_view content) {
  const auto refuse = [&](const std::string& what) { return Error{ErrorCode::InvalidInput, path.string(), what}; };
  for (const Magic& other : kOthers)
    if (content.starts_with(other.bytes)) return refuse(std::string("is ") + other.what + "; " + std::string(kRow));
  if (content.starts_with(kByteOrderMark)) content.remove_prefix(kByteOrderMark.size());
  content.remove_prefix(std::min(content.find_first_not_of(kBlank), content.size()));
  if (content.starts_with('['))
    return refuse("is a JSON array; " + std::string(kRow) + "." + conversion(path, "json.load(sys.stdin)"));
  if (isSpreadObject(content))
    return refuse("holds JSON objects that go over several lines; " + std::string(kRow) + "." +
                  "\nTo convert it: jq -c . '" + path.string() + "' > '" + path.stem().string() + ".rows.jsonl'");
  return {};
}

}  // namespace tidemark::text
