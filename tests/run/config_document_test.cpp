#include "core/run/config_document.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ctime>

namespace tidemark::run {
using testing::HasSubstr;

namespace {

std::string problemOf(const std::string& text) {
  const Document document = parseDocument(text);
  EXPECT_TRUE(document.problems.empty() || document.entries.empty());
  return document.problems.empty() ? "" : document.problems[0].what;
}

std::string repeated(const std::string& part, size_t bytes) {
  std::string text;
  while (text.size() < bytes) text += part;
  return text;
}

}  // namespace

TEST(ConfigDocument, GivesDottedKeysWithPositions) {
  const Document document = parseDocument("a: 1\nb:\n  c: [x, 'y z']\n  d:\ne: {f: \"g\"}\nh: 'it''s'\n");
  ASSERT_EQ(document.problems.size(), 0u);
  ASSERT_EQ(document.entries.size(), 5u);
  EXPECT_EQ(document.entries[4].text, "it's");
  EXPECT_EQ(document.entries[0].key, "a");
  EXPECT_EQ(document.entries[0].where, "line 1, column 4");
  EXPECT_EQ(document.entries[1].key, "b.c");
  EXPECT_TRUE(document.entries[1].isList);
  EXPECT_THAT(document.entries[1].items, testing::ElementsAre("x", "y z"));
  EXPECT_EQ(document.entries[2].key, "b.d");
  EXPECT_TRUE(document.entries[2].isNull);
  EXPECT_EQ(document.entries[3].key, "e.f");
  EXPECT_EQ(document.entries[3].text, "g");
}

TEST(ConfigDocument, JsonMayUseWhatYamlReadersStumbleOver) {
  const Document document = parseDocument("{\n\t\"a\": {\"b\": \"x\\/y \\ud83c\\udf0a\"},\t\"n\": 1e-05, \"t\": true, \"z\": null}");
  ASSERT_EQ(document.problems.size(), 0u);
  ASSERT_EQ(document.entries.size(), 4u);
  EXPECT_EQ(document.entries[0].text, "x/y \xf0\x9f\x8c\x8a");
  EXPECT_EQ(document.entries[1].text, "1e-05");
  EXPECT_EQ(document.entries[2].text, "true");
  EXPECT_TRUE(document.entries[3].isNull);
}

TEST(ConfigDocument, RefusesWithLineAndColumn) {
  const std::pair<std::string, std::string> cases[] = {
      {"", "is empty"},
      {"# nothing\n", "is empty"},
      {"a: 1\nb: &x 2\n", "line 2, column 4: anchors and aliases are not accepted"},
      {"a: &x {b: 1}\n", "anchors and aliases are not accepted"},
      {"a: 1\nb: *x\n", "line 2"},
      {"a: 1\nb: 2\na: 3\n", "line 3, column 1: is given twice"},
      {"a: {b: 1, b: 2}\n", "line 1, column 11: is given twice"},
      {"{\"a\": 1, \"a\": 2}", "is given twice"},
      {"a:\n\tb: 1\n", "line 2, column 1: a tab indents this line"},
      {"a:\n  b: 1\n \tc: 2\n", "line 3, column 2: a tab indents this line"},
      {"a: [1, 2\n", "line "},
      {"a: b: c\n", "line 1"},
      {"a: 1\nb: 'x\nc: 2\n", "line 2, column 4: the quoted text that begins here has no end"},
      {"\xc3\xa9: 1\nb: \"x\\\"\n", "line 2, column 4: the quoted text that begins here has no end"},
      {"a: 'it''s\n", "line 1, column 4: the quoted text that begins here has no end"},
      {"- a\n- b\n", "expects keys and values"},
      {"just text\n", "expects keys and values"},
      {"a: [[1]]\n", "line 1, column 5: takes a list of plain values only"},
      {"a: [{b: 1}]\n", "takes a list of plain values only"},
      {"a: [1, ~]\n", "has an empty item in its list"},
      {"{\"a\": [null]}", "takes a list of plain values only"},
      {"? [x]\n: 1\n", "a key must be a plain word"},
      {"a: 1\n---\nb: 2\n", "line 2, column 1: a second document begins here"},
      {"a: !!python/object:os.system x\n", "the tag tag:yaml.org,2002:python/object:os.system is not accepted"},
      {"a: !!int '5'\n", "is not accepted"},
      {"a: {b: {c: {d: {e: {f: {g: {h: {i: 1}}}}}}}}\n", "is nested deeper than 8 levels"},
      {std::string("a: \0b\n", 6), "line 1, column 4: is not UTF-8 text"},
      {"a: 1\nb: \xff\n", "line 2, column 4: is not UTF-8 text"},
      {"a: \xc0\xaf\n", "is not UTF-8 text"},
      {"a: \xed\xa0\x80\n", "is not UTF-8 text"},
      {"a: \xf0\x8f\xbf\xbf\n", "is not UTF-8 text"}};
  for (const auto& [text, expected] : cases) EXPECT_THAT(problemOf(text), HasSubstr(expected)) << text;
}

TEST(ConfigDocument, HostileTextsEndQuickly) {
  const std::string bomb = "a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\n";
  const size_t most = kMaxConfigBytes - 16;
  for (const std::string& text : {bomb, repeated("[", most), "a: " + repeated("[", most), repeated("{", most), repeated("{a: ", most),
                                  repeated("- ", most), "{\"a\":" + repeated("[", most), repeated("? ", most), repeated("a: ", most),
                                  repeated("!", most), repeated("\"", most), repeated("&a ", most), "a: |\n" + repeated(" \n", most)}) {
    const std::clock_t start = std::clock();  // processor time: tests share the machine with others
    EXPECT_NE(problemOf(text) + (text.starts_with("a: |") ? "a block of blank lines is a text" : ""), "") << text.substr(0, 20);
    EXPECT_LT(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC, 5) << text.substr(0, 20);
  }
  EXPECT_THAT(problemOf(repeated("#", kMaxConfigBytes + 1)), HasSubstr("larger than the 1 MiB"));
}

TEST(ConfigDocument, ManyUnknownKeysAreCapped) {
  std::string text;
  for (int i = 0; i < 20000; ++i) text += "key_number_" + std::to_string(i) + ": 1\n";
  const ParsedConfig parsed = parseConfig(text);
  EXPECT_EQ(parsed.problems.size(), 101u);
  EXPECT_THAT(parsed.problems.back().what, HasSubstr("more problems"));
  EXPECT_EQ(parseConfig(std::string(900, 'k') + ": 1").problems[0].key.size(), 83u);
}

}  // namespace tidemark::run
