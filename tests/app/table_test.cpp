#include "app/cli/table.h"

#include <gtest/gtest.h>

namespace tidemark::cli {
namespace {

TEST(Table, CutsWithAnEllipsisAndNeverMore) {
  EXPECT_EQ(elided("short", 8), "short");
  EXPECT_EQ(elided("exactly8", 8), "exactly8");
  EXPECT_EQ(elided("exactly 9", 8), "exactly…");
  EXPECT_EQ(elided(std::string(5000, 'x'), 4), "xxx…");
  EXPECT_EQ(elided("two\nlines\x1b[2J", 40), "two lines [2J");
}

TEST(Table, CountsWhatATerminalShows) {
  EXPECT_EQ(columnsOf("naïve"), 5u);
  EXPECT_EQ(columnsOf("nai\xcc\x88ve"), 5u) << "a combining mark";
  EXPECT_EQ(columnsOf("漢字"), 4u);
  EXPECT_EQ(columnsOf("🌊"), 2u);
  EXPECT_EQ(elided("漢字漢字", 5), "漢字…");
}

TEST(Table, ColumnsAreAlignedWhateverIsInThem) {
  testing::internal::CaptureStdout();
  printTable({{"NAME", "LOSS"}, {"漢字", "1"}, {"a\nb", "2"}});
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "NAME  LOSS\n漢字  1\na b   2\n");
}

}  // namespace
}  // namespace tidemark::cli
