#include "core/text/packing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <numeric>

#include "core/base/random.h"

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

TEST(EvenBatches, DealsEverySequenceOnceTheHeaviestFirst) {
  const std::vector<int64_t> all = lengths(48, 100);
  for (const int64_t perBatch : {1, 2, 3, 4, 8, 48}) {
    const auto batches = evenBatches(all, perBatch);
    std::vector<size_t> dealt;
    int64_t previous = INT64_MAX, lightest = INT64_MAX, heaviest = 0;
    for (const auto& batch : batches) {
      ASSERT_EQ(batch.size(), static_cast<size_t>(perBatch));
      EXPECT_TRUE(std::is_sorted(batch.begin(), batch.end()));
      int64_t sum = 0;
      for (const size_t sequence : batch) sum += all[sequence];
      EXPECT_LE(sum, previous);
      previous = sum;
      lightest = std::min(lightest, sum);
      heaviest = std::max(heaviest, sum);
      dealt.insert(dealt.end(), batch.begin(), batch.end());
    }
    std::sort(dealt.begin(), dealt.end());
    for (size_t i = 0; i < dealt.size(); ++i) ASSERT_EQ(dealt[i], i);
    if (perBatch > 1 && batches.size() > 1) EXPECT_LE(heaviest - lightest, 100) << "never apart by more than one sequence";
  }
}

// As even as any division can be, where there are few enough to try them all.
TEST(EvenBatches, ComesNearTheBestDivisionIntoTwo) {
  for (uint64_t seed = 0; seed < 50; ++seed) {
    SplitMix64 random(seed);
    std::vector<int64_t> all(10);
    for (auto& length : all) length = 1 + static_cast<int64_t>(random.below(512));
    const int64_t sum = std::accumulate(all.begin(), all.end(), int64_t{0});
    int64_t best = INT64_MAX;
    for (unsigned mask = 0; mask < 1024; ++mask) {
      if (std::popcount(mask) != 5) continue;
      int64_t half = 0;
      for (size_t i = 0; i < 10; ++i)
        if (mask >> i & 1) half += all[i];
      best = std::min(best, std::max(half, sum - half));
    }
    int64_t heaviest = 0;
    const auto batches = evenBatches(all, 5);
    for (const size_t sequence : batches[0]) heaviest += all[sequence];
    EXPECT_LE(static_cast<double>(heaviest), 7.0 / 6.0 * static_cast<double>(best)) << "seed " << seed;
  }
}

}  // namespace
}  // namespace tidemark::text
