#include "core/base/printable.h"

#include <gtest/gtest.h>

#include "core/base/counted.h"

namespace tidemark {
namespace {

TEST(Printable, ReplacesControlCharactersAndBrokenBytes) {
  EXPECT_EQ(printable("a\x1b[31m\xff\xc3\xa9"), "a [31m?é");
  EXPECT_EQ(printable("\xe2\x82"), "??");
  EXPECT_EQ(printable("\xc2\x9b" "31mred"), " 31mred") << "the one-character form of ESC [";
  EXPECT_EQ(printable("bell\a, delete\x7f, return\rover"), "bell , delete , return over");
}

TEST(Printable, NothingTurnsTheDirectionOfTheRest) {
  EXPECT_EQ(printable("exe.\xe2\x80\xaegpj"), "exe. gpj");
  EXPECT_EQ(printable("\xe2\x81\xa6x\xe2\x81\xa9"), " x ");
  EXPECT_EQ(printable("שלום"), "שלום") << "text that is written from right to left stays";
}

TEST(Printable, OtherTextStaysAsItIs) {
  for (const char* text : {"two\nlines\twith a tab", "naïve", "漢字", "👩‍🔬", ""}) EXPECT_EQ(printable(text), text);
}

TEST(Printable, OneLineHasNoLineBreak) { EXPECT_EQ(oneLine("a\nb\r\n\tc\xe2\x80\xa8" "d"), "a b   c d"); }

TEST(Counted, OneIsSingular) {
  EXPECT_EQ(counted(0, "row"), "0 rows");
  EXPECT_EQ(counted(1, "row"), "1 row");
  EXPECT_EQ(counted(2, "row"), "2 rows");
}

}  // namespace
}  // namespace tidemark
