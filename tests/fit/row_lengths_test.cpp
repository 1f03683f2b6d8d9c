#include "core/fit/row_lengths.h"

#include <gtest/gtest.h>

namespace tidemark::fit {
namespace {

const std::vector<text::RowSize> kRows{{11, 5}, {21, 20}, {41, 10}, {101, 60}};

run::DatasetConfig dataset(int64_t length, bool packing, const std::string& truncation) {
  run::DatasetConfig config;
  config.maxSeqLength = length;
  config.packing = packing;
  config.truncation = truncation;
  return config;
}

TEST(RowLengths, LongerRowsAreLeftOutOrCut) {
  const RowLengths rows(kRows, 128);
  const SequenceSizes dropped = rows.sequences(dataset(50, false, "drop"));
  EXPECT_EQ(dropped.rows, 3);
  EXPECT_EQ(dropped.tooLong, 1);
  EXPECT_EQ(dropped.longestRow, 40);
  EXPECT_EQ(dropped.tokens, 40) << "nothing is computed from a row's last token";
  EXPECT_EQ(dropped.targets, 20) << "an upper bound";
  const SequenceSizes cut = rows.sequences(dataset(50, false, "truncate"));
  EXPECT_EQ(cut.rows, 4);
  EXPECT_EQ(cut.longestRow, 49);
  EXPECT_EQ(cut.targets, 49);
}

TEST(RowLengths, PackingFillsASequence) {
  const RowLengths rows(kRows, 128);
  const SequenceSizes packed = rows.sequences(dataset(75, true, "drop"));
  EXPECT_EQ(packed.tokens, 72) << "all three fit into one";
  EXPECT_EQ(packed.longestRow, 40);
  EXPECT_EQ(packed.meanTokens, 70) << "one sequence of 10 + 20 + 40 computed tokens";
  EXPECT_DOUBLE_EQ(packed.meanRow, (100.0 + 400 + 1600) / 70);
}

TEST(RowLengths, NothingIsLeftUnderAShortLimit) { EXPECT_EQ(RowLengths(kRows, 128).sequences(dataset(4, true, "drop")).rows, 0); }

}  // namespace
}  // namespace tidemark::fit
