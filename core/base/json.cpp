#include "core/base/json.h"

#include <algorithm>
#include <set>
#include <vector>

namespace tidemark {
namespace {

std::string position(std::string_view text, size_t offset) {
  offset = std::min(offset, text.size());
  const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(offset), '\n');
  const size_t start = text.substr(0, offset).rfind('\n');
  const size_t column = offset - (start == std::string_view::npos ? 0 : start + 1) + 1;
  return "line " + std::to_string(line) + ", column " + std::to_string(column);
}

// Walks the text once without building values: finds syntax errors, excessive depth and duplicate keys.
class Check : public nlohmann::json_sax<Json> {
 public:
  explicit Check(int maxDepth) : maxDepth_(maxDepth) {}
  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool start_object(size_t) override { return open(); }
  bool end_object() override { return close(); }
  bool start_array(size_t) override { return open(); }
  bool end_array() override { return close(); }
  bool key(string_t& name) override {
    if (keys_.back().insert(name).second) return true;
    problem = "the key \"" + name + "\" is given twice in one object";
    return false;
  }
  bool parse_error(size_t at, const std::string&, const nlohmann::detail::exception& e) override {
    offset = at == 0 ? 0 : at - 1;
    const std::string what = e.what();
    const size_t cut = what.find("syntax error");
    problem = cut == std::string::npos ? what : what.substr(cut);
    return false;
  }
  std::string problem;
  size_t offset = std::string::npos;

 private:
  bool open() {
    keys_.emplace_back();
    if (static_cast<int>(keys_.size()) <= maxDepth_) return true;
    problem = "is nested deeper than " + std::to_string(maxDepth_) + " levels";
    return false;
  }
  bool close() {
    keys_.pop_back();
    return true;
  }
  int maxDepth_;
  std::vector<std::set<std::string>> keys_;
};

}  // namespace

Result<Json> parseJson(std::string_view text, const std::string& subject, JsonLimits limits) {
  if (text.size() > limits.maxBytes)
    return Error{ErrorCode::InvalidInput, subject, "is larger than the " + std::to_string(limits.maxBytes) +
                                                       " bytes of JSON accepted here"};
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  Check check(limits.maxDepth);
  if (!Json::sax_parse(text, &check)) {
    const std::string where = check.offset == std::string::npos ? "" : position(text, check.offset) + ": ";
    return Error{ErrorCode::InvalidInput, subject, where + check.problem};
  }
  Json parsed = Json::parse(text, nullptr, false);
  if (parsed.is_discarded()) return Error{ErrorCode::InvalidInput, subject, "is not valid JSON"};
  return parsed;
}

}  // namespace tidemark
