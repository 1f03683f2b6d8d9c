#include "core/base/json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tidemark {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

TEST(ParseJson, ReadsValuesAndSkipsAByteOrderMark) {
  const auto json = parseJson("\xef\xbb\xbf{\"a\": [1, -2.5, \"x\"]}", "file");
  ASSERT_TRUE(json.ok()) << json.error().message();
  EXPECT_EQ((*json)["a"][1], -2.5);
}

TEST(ParseJson, NamesLineAndColumn) {
  const auto json = parseJson("{\n  \"a\": 1,\n  b\n}", "file.json");
  ASSERT_FALSE(json.ok());
  EXPECT_EQ(json.error().subject, "file.json");
  EXPECT_THAT(json.error().detail, StartsWith("line 3, column 3"));
}

TEST(ParseJson, RefusesDuplicateKeysInOneObjectOnly) {
  const auto twice = parseJson(R"({"a": {"k": 1, "k": 2}})", "f");
  ASSERT_FALSE(twice.ok());
  EXPECT_THAT(twice.error().detail, HasSubstr("\"k\" is given twice"));
  EXPECT_TRUE(parseJson(R"({"a": {"k": 1}, "b": {"k": 2}, "k": 3})", "f").ok());
}

TEST(ParseJson, LimitsDepth) {
  const auto nested = [](int depth) { return std::string(static_cast<size_t>(depth), '[') + std::string(static_cast<size_t>(depth), ']'); };
  EXPECT_TRUE(parseJson(nested(64), "f").ok());
  const auto tooDeep = parseJson(nested(65), "f");
  ASSERT_FALSE(tooDeep.ok());
  EXPECT_THAT(tooDeep.error().detail, HasSubstr("nested deeper than 64"));
  EXPECT_FALSE(parseJson(std::string(1'000'000, '['), "f").ok());
  EXPECT_FALSE(parseJson("[[1]]", "f", {.maxDepth = 1}).ok());
}

TEST(ParseJson, LimitsSize) {
  EXPECT_TRUE(parseJson("[1, 2]", "f", {.maxBytes = 6}).ok());
  const auto large = parseJson("[1, 2 ]", "f", {.maxBytes = 6});
  ASSERT_FALSE(large.ok());
  EXPECT_THAT(large.error().detail, HasSubstr("larger than the 6 bytes"));
}

TEST(ParseJson, RefusesBrokenText) {
  for (const char* text : {"", " ", "{", "[1,]", "{\"a\" 1}", "nul", "1 2", "\"\xff\"", "[NaN]", "{'a': 1}", "// x\n1"})
    EXPECT_FALSE(parseJson(text, "f").ok()) << text;
}

}  // namespace
}  // namespace tidemark
