#include "core/text/packing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "core/text/random.h"

namespace tidemark::text {
namespace {

std::vector<int64_t> lengths(size_t count, int64_t max) {
  SplitMix64 random(7);
  std::vector<int64_t> result(count);
  for (auto& length : result) length = 1 + static_cast<int64_t>(random.below(static_cast<uint64_t>(max)));
  return result;
}

std::vector<int64_t> sortedRows(const std::vector<Sequence>& sequences) {
  std::vector<int64_t> rows;
  for (const auto& sequence : sequences) rows.insert(rows.end(), sequence.begin(), sequence.end());
  std::sort(rows.begin(), rows.end());
  return rows;
}

int64_t total(const Sequence& sequence, const std::vector<int64_t>& rowLengths) {
  int64_t sum = 0;
  for (const int64_t row : sequence) sum += rowLengths[static_cast<size_t>(row)];
  return sum;
}

TEST(SplitMix64, MatchesThePublishedSequence) {
  SplitMix64 random(1234567);  // reference output of Vigna's splitmix64.c for this seed
  EXPECT_EQ(random.next(), 6457827717110365317ull);
  EXPECT_EQ(random.next(), 3203168211198807973ull);
  EXPECT_EQ(random.next(), 9817491932198370423ull);
}

TEST(MakeEpoch, EveryRowOnceAndNoSequenceTooLong) {
  const auto rowLengths = lengths(5000, 512);
  std::vector<int64_t> all(rowLengths.size());
  std::iota(all.begin(), all.end(), 0);
  for (const bool packing : {true, false}) {
    const auto sequences = makeEpoch(rowLengths, 512, packing, 42, 0);
    EXPECT_EQ(sortedRows(sequences), all);
    for (const auto& sequence : sequences) {
      EXPECT_FALSE(sequence.empty());
      EXPECT_LE(total(sequence, rowLengths), 512);
    }
  }
}

TEST(MakeEpoch, PacksAsFirstFitDoes) {
  const auto rowLengths = lengths(700, 100);
  const auto order = makeEpoch(rowLengths, 100, false, 3, 5);
  std::vector<Sequence> expected;
  for (const auto& single : order) {  // the plain quadratic definition, over the same shuffled order
    const int64_t row = single.front();
    auto room = std::find_if(expected.begin(), expected.end(), [&](const Sequence& sequence) {
      return total(sequence, rowLengths) + rowLengths[static_cast<size_t>(row)] <= 100;
    });
    if (room == expected.end()) room = expected.insert(expected.end(), Sequence{});
    room->push_back(row);
  }
  EXPECT_EQ(makeEpoch(rowLengths, 100, true, 3, 5), expected);
}

TEST(MakeEpoch, DependsOnSeedAndEpochAlone) {
  const auto rowLengths = lengths(200, 64);
  EXPECT_EQ(makeEpoch(rowLengths, 64, true, 1, 2), makeEpoch(rowLengths, 64, true, 1, 2));
  EXPECT_NE(makeEpoch(rowLengths, 64, true, 1, 2), makeEpoch(rowLengths, 64, true, 1, 3));
  EXPECT_NE(makeEpoch(rowLengths, 64, true, 1, 2), makeEpoch(rowLengths, 64, true, 2, 2));
}

TEST(MakeEpoch, EmptyAndSingle) {
  EXPECT_TRUE(makeEpoch({}, 64, true, 1, 0).empty());
  const std::vector<int64_t> one{64};
  EXPECT_EQ(makeEpoch(one, 64, true, 1, 0), (std::vector<Sequence>{{0}}));
}

TEST(MakeEpoch, ShufflesUniformly) {
  // Where row 0 of 4 lands over 4000 epochs: 1000 times in each place; 6 standard deviations are 164.
  const std::vector<int64_t> rowLengths{1, 1, 1, 1};
  std::vector<int> counts(4);
  for (int64_t epoch = 0; epoch < 4000; ++epoch) {
    const auto sequences = makeEpoch(rowLengths, 1, false, 9, epoch);
    for (size_t place = 0; place < 4; ++place)
      if (sequences[place].front() == 0) ++counts[place];
  }
  for (const int count : counts) EXPECT_NEAR(count, 1000, 164);
}

}  // namespace
}  // namespace tidemark::text
