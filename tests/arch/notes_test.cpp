#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <regex>
#include <set>

#include "tests/arch/source_tree.h"

namespace tidemark::arch {
namespace {

using ::testing::IsEmpty;

// Note name -> file that writes it down ("// Note: slots. The rows ..."); a mention has no full stop after the name.
std::map<std::string, std::string> writtenNotes() {
  static const std::regex pattern(R"re(^\s*// Note: ([^.]+)\.( |$))re");
  std::map<std::string, std::string> notes;
  for (const SourceFile& file : sourceFiles()) {
    if (!beginsWith(file.path, "core/") || endsWith(file.path, ".md")) continue;
    for (const std::string& line : file.lines)
      if (std::smatch match; std::regex_search(line, match, pattern)) notes.emplace(match[1].str(), file.path);
  }
  return notes;
}

// The table at the end of core/README.md.
std::map<std::string, std::string> listedNotes() {
  static const std::regex row(R"re(^\| ([^|`]+) \| `([^`]+)` \|$)re");
  std::map<std::string, std::string> notes;
  bool isIndex = false;
  for (const SourceFile& file : sourceFiles()) {
    if (file.path != "core/README.md") continue;
    for (const std::string& line : file.lines) {
      if (line == "## Notes") isIndex = true;
      if (std::smatch match; isIndex && std::regex_search(line, match, row)) notes.emplace(match[1].str(), "core/" + match[2].str());
    }
  }
  return notes;
}

TEST(NotesTest, TheIndexListsEveryNoteWhereItIs) {
  ASSERT_GT(writtenNotes().size(), 3u);
  EXPECT_EQ(listedNotes(), writtenNotes()) << "bring the table at the end of core/README.md up to date";
}

TEST(NotesTest, EveryMentionHasItsNote) {
  static const std::regex mention(R"re(\bNote: ([a-z][a-z -]*[a-z]))re");
  const auto notes = writtenNotes();
  std::vector<std::string> found;
  for (const SourceFile& file : sourceFiles()) {
    if (!beginsWith(file.path, "core/") || endsWith(file.path, ".md")) continue;
    for (const std::string& line : file.lines) {
      std::smatch match;
      if (!std::regex_search(line, match, mention)) continue;
      const std::string text = match[1].str();  // "blocked weights in core": a name, perhaps with what follows it
      bool isKnown = false;
      for (const auto& [name, path] : notes) isKnown = isKnown || text == name || beginsWith(text, name + " ");
      if (!isKnown) found.push_back(file.path + ": " + line);
    }
  }
  EXPECT_THAT(found, IsEmpty());
}

}  // namespace
}  // namespace tidemark::arch
