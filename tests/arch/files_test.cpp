#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>

#include "tests/arch/source_tree.h"

namespace tidemark::arch {
namespace {

using ::testing::IsEmpty;

constexpr size_t kMostLines = 500;

TEST(FilesTest, NoFileIsTooLong) {
  std::vector<std::string> found;
  for (const SourceFile& file : sourceFiles())
    if (file.lines.size() > kMostLines) found.push_back(file.path + ": " + std::to_string(file.lines.size()) + " lines");
  EXPECT_THAT(found, IsEmpty());
}

// Home directories and the like: a checkout must work wherever it lies.
const std::regex& machinePath() {
  static const std::regex pattern("(^|[\\s\"'=(:])/(work|root|home/[a-z]+|Users|mnt)/|/tmp/(ref|b-)");
  return pattern;
}

TEST(FilesTest, AMachinePathIsRecognised) {
  EXPECT_TRUE(std::regex_search(std::string("cd ") + "/ro" + "ot/x", machinePath()));
  EXPECT_TRUE(std::regex_search(std::string("\"") + "/ho" + "me/someone/x\"", machinePath()));
  EXPECT_FALSE(std::regex_search(std::string("core/work/x and /usr/bin/python3"), machinePath()));
}

TEST(FilesTest, NoMachinePaths) {
  std::vector<std::string> found;
  for (const SourceFile& file : sourceFiles())
    for (size_t i = 0; i < file.lines.size(); ++i)
      if (std::regex_search(file.lines[i], machinePath()))
        found.push_back(file.path + ":" + std::to_string(i + 1) + ": " + file.lines[i]);
  EXPECT_THAT(found, IsEmpty());
}

TEST(FilesTest, HeadersOpenWithTheirResponsibility) {
  std::vector<std::string> found;
  for (const SourceFile& file : sourceFiles())
    if (endsWith(file.path, ".h") && (file.lines.empty() || !beginsWith(file.lines[0], "// "))) found.push_back(file.path);
  EXPECT_THAT(found, IsEmpty());
}

TEST(FilesTest, NamesAreSnakeCase) {
  static const std::regex name(R"re((^|/)[a-z0-9_]+\.(h|cpp)$)re");
  std::vector<std::string> found;
  for (const SourceFile& file : sourceFiles())
    if ((endsWith(file.path, ".h") || endsWith(file.path, ".cpp")) && !std::regex_search(file.path, name))
      found.push_back(file.path);
  EXPECT_THAT(found, IsEmpty());
}

TEST(FilesTest, FoldersAreNounsOfTheDomain) {
  static const std::regex vague(R"re((^|/)(utils?|helpers?|common|managers?|misc)(/|\.(h|cpp)$))re");
  std::vector<std::string> found;
  for (const SourceFile& file : sourceFiles())
    if (std::regex_search(file.path, vague)) found.push_back(file.path);
  EXPECT_THAT(found, IsEmpty());
}

}  // namespace
}  // namespace tidemark::arch
