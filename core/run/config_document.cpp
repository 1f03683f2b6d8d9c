#include "core/run/config_document.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "core/base/json.h"

namespace tidemark::run {
namespace {

constexpr size_t kMaxDepth = 8;

std::string lineAndColumn(int line, int column) {
  return "line " + std::to_string(line + 1) + ", column " + std::to_string(column + 1);
}
std::string lineAndColumn(const YAML::Mark& mark) { return mark.is_null() ? "" : lineAndColumn(mark.line, mark.column); }

std::string shown(const std::string& key) { return key.size() > 80 ? key.substr(0, 80) + "..." : key; }

// Leaves yaml-cpp's parser from inside one of its callbacks; caught in parseYaml.
struct Refused {
  ConfigProblem problem;
};

// Collects the events of one document; a stack of open maps and lists stands for the path to the present value.
class Collector : public YAML::EventHandler {
 public:
  Collector(std::string_view text, std::vector<DocumentEntry>& entries) : text_(text), entries_(entries) {}

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (hasDocument_) refuse(mark, "", "a second document begins here; a configuration is one document");
    hasDocument_ = true;
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    refuseAnchor(mark, anchor);
    if (isAtKey()) refuse(mark, "", "a key is missing here");
    if (!open_.empty() && open_.back().isList) refuse(mark, entries_.back().key, "has an empty item in its list");
    const std::string where = open_.empty() ? "" : lineAndColumn(open_.back().keyMark);  // the next token's mark helps nobody
    DocumentEntry& entry = addEntry(mark);
    entry.isNull = true;
    entry.where = where;
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    refuse(mark, "", "anchors and aliases are not accepted; write the value out");
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, const std::string& value) override {
    refuseAnchor(mark, anchor);
    refuseTag(mark, tag);
    refuseOpenQuote(mark);
    if (isAtKey()) return beginKey(mark, value);
    if (!open_.empty() && open_.back().isList) return entries_.back().items.push_back(value);
    addEntry(mark).text = value;
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, YAML::EmitterStyle::value) override {
    refuseAnchor(mark, anchor);
    refuseTag(mark, tag);
    refuseNesting(mark);
    addEntry(mark).isList = true;
    open_.push_back({.isList = true});
  }
  void OnSequenceEnd() override { open_.pop_back(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, YAML::EmitterStyle::value) override {
    refuseAnchor(mark, anchor);
    refuseTag(mark, tag);
    refuseNesting(mark);
    const std::string prefix = open_.empty() ? "" : open_.back().key + ".";
    if (!open_.empty()) open_.back().key.clear();
    open_.push_back({.prefix = prefix});
  }
  void OnMapEnd() override { open_.pop_back(); }

 private:
  struct Open {
    bool isList = false;
    std::string prefix = {};       // of the keys in this map
    std::string key = {};          // whose value comes next; empty: a key comes next
    YAML::Mark keyMark = {};
    std::set<std::string> seen = {};
  };

  [[noreturn]] static void refuse(const YAML::Mark& mark, const std::string& key, const std::string& what) {
    throw Refused{{shown(key), lineAndColumn(mark) + ": " + what}};
  }
  static void refuseAnchor(const YAML::Mark& mark, YAML::anchor_t anchor) {
    if (anchor != YAML::NullAnchor) refuse(mark, "", "anchors and aliases are not accepted; write the value out");
  }
  // "?" is a plain scalar or collection, "!" a quoted scalar.
  static void refuseTag(const YAML::Mark& mark, const std::string& tag) {
    if (!tag.empty() && tag != "?" && tag != "!") refuse(mark, "", "the tag " + shown(tag) + " is not accepted");
  }
  // yaml-cpp 0.7 takes a quoted text without its closing quote to go on to the end of the file.
  void refuseOpenQuote(const YAML::Mark& mark) const {
    const auto start = static_cast<size_t>(mark.pos);
    if (start >= text_.size() || (text_[start] != '\'' && text_[start] != '"')) return;
    for (size_t i = start + 1; i < text_.size(); ++i) {
      const bool isEscape = text_[start] == '"' ? text_[i] == '\\' : text_.substr(i, 2) == "''";
      if (isEscape) ++i;
      else if (text_[i] == text_[start]) return;
    }
    refuse(mark, "", "the quoted text that begins here has no end");
  }
  void refuseNesting(const YAML::Mark& mark) const {
    if (isAtKey()) refuse(mark, "", "a key must be a plain word");
    if (open_.size() >= kMaxDepth) refuse(mark, "", "is nested deeper than " + std::to_string(kMaxDepth) + " levels");
    if (!open_.empty() && open_.back().isList) refuse(mark, entries_.back().key, "takes a list of plain values only");
  }
  bool isAtKey() const { return !open_.empty() && !open_.back().isList && open_.back().key.empty(); }
  void beginKey(const YAML::Mark& mark, const std::string& name) {
    Open& map = open_.back();
    if (name.empty()) refuse(mark, "", "a key is empty");
    const std::string key = map.prefix + name;
    if (!map.seen.insert(name).second) refuse(mark, key, "is given twice");
    map.key = key;
    map.keyMark = mark;
  }
  DocumentEntry& addEntry(const YAML::Mark& mark) {
    if (open_.empty()) refuse(mark, "", "expects keys and values, such as model: PATH");
    entries_.push_back({.key = open_.back().key, .where = lineAndColumn(mark)});
    open_.back().key.clear();
    return entries_.back();
  }

  std::string_view text_;
  std::vector<DocumentEntry>& entries_;
  std::vector<Open> open_;
  bool hasDocument_ = false;
};

void addJson(const Json& value, const std::string& key, std::vector<DocumentEntry>& entries,
             std::vector<ConfigProblem>& problems) {
  if (value.is_object()) {
    for (const auto& [name, child] : value.items()) addJson(child, key.empty() ? name : key + "." + name, entries, problems);
    return;
  }
  const auto textOfScalar = [](const Json& scalar) { return scalar.is_string() ? scalar.get<std::string>() : scalar.dump(); };
  DocumentEntry entry{.key = key};
  entry.isNull = value.is_null();
  entry.isList = value.is_array();
  if (!entry.isNull && !entry.isList) entry.text = textOfScalar(value);
  if (entry.isList) {
    for (const Json& item : value) {
      if (item.is_structured() || item.is_null()) problems.push_back({shown(key), "takes a list of plain values only"});
      else entry.items.push_back(textOfScalar(item));
    }
  }
  entries.push_back(std::move(entry));
}

// The offset of the first byte that is not well-formed UTF-8 (RFC 3629) or is NUL; npos if there is none.
size_t firstBadByte(std::string_view text) {
  for (size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i]);
    const size_t length = lead < 0x80 ? 1 : lead >= 0xC2 && lead < 0xE0 ? 2 : lead >= 0xE0 && lead < 0xF0 ? 3
                          : lead >= 0xF0 && lead < 0xF5 ? 4 : 0;
    if (lead == 0 || length == 0 || i + length > text.size()) return i;
    for (size_t k = 1; k < length; ++k)
      if ((static_cast<unsigned char>(text[i + k]) & 0xC0) != 0x80) return i;
    const auto second = length > 1 ? static_cast<unsigned char>(text[i + 1]) : 0;
    const bool isOverlong = (lead == 0xE0 && second < 0xA0) || (lead == 0xF0 && second < 0x90);
    const bool isSurrogate = lead == 0xED && second >= 0xA0;
    if (isOverlong || isSurrogate || (lead == 0xF4 && second >= 0x90)) return i;
    i += length;
  }
  return std::string_view::npos;
}

std::string positionOf(std::string_view text, size_t offset) {
  const std::string_view before = text.substr(0, offset);
  const size_t start = before.rfind('\n');
  return lineAndColumn(static_cast<int>(std::count(before.begin(), before.end(), '\n')),
                       static_cast<int>(offset - (start == std::string_view::npos ? 0 : start + 1)));
}

// The offset of a tab in the indentation of a line that holds more than white space; npos if there is none.
size_t firstIndentingTab(std::string_view text) {
  for (size_t line = 0; line < text.size();) {
    const size_t end = std::min(text.find('\n', line), text.size());
    const size_t content = text.find_first_not_of(" \t\r", line);
    if (content != std::string_view::npos && content < end && text[content] != '#') {
      const size_t tab = text.substr(0, content).find('\t', line);
      if (tab != std::string_view::npos) return tab;
    }
    line = end + 1;
  }
  return std::string_view::npos;
}

Document refused(const std::string& what) { return {{}, {{"", what}}}; }

Document parseYaml(std::string_view text) {
  if (const size_t tab = firstIndentingTab(text); tab != std::string_view::npos)
    return refused(positionOf(text, tab) + ": a tab indents this line; use spaces");
  Document document;
  try {
    std::istringstream stream{std::string(text)};
    YAML::Parser parser(stream);
    Collector collector(text, document.entries);
    if (!parser.HandleNextDocument(collector)) return refused("is empty; at least model and dataset.train are needed");
    parser.HandleNextDocument(collector);  // refused by the collector if there is one
  } catch (const Refused& refusal) {
    return {{}, {refusal.problem}};
  } catch (const YAML::Exception& error) {
    const std::string where = lineAndColumn(error.mark);
    return refused((where.empty() ? "" : where + ": ") + error.msg);
  }
  return document;
}

}  // namespace

Document parseDocument(std::string_view text) {
  if (text.size() > kMaxConfigBytes) return refused("is larger than the 1 MiB that a configuration may have");
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  if (const size_t bad = firstBadByte(text); bad != std::string_view::npos)
    return refused(positionOf(text, bad) + ": is not UTF-8 text");
  const size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return refused("is empty; at least model and dataset.train are needed");
  if (text[first] == '{') {
    const auto json = parseJson(text, "", {kMaxConfigBytes, static_cast<int>(kMaxDepth)});
    if (json.ok()) {
      Document document;
      addJson(*json, "", document.entries, document.problems);
      if (!document.problems.empty()) document.entries.clear();
      return document;
    }
  }
  return parseYaml(text);  // also names what is wrong with text that is nearly JSON
}

}  // namespace tidemark::run
