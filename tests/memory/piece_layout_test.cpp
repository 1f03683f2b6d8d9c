#include "core/memory/piece_layout.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace tidemark::memory {
namespace {

std::vector<PieceLayout::Group> randomGroups(std::mt19937& random) {
  std::vector<PieceLayout::Group> groups;
  for (size_t i = 0; i < 1 + random() % 4; ++i)
    groups.push_back({static_cast<int64_t>(1 + random() % 40), static_cast<int64_t>(1 + random() % 9)});
  return groups;
}

// The slots of a rank's rows, from the definition alone: group after group, as many slots as the largest shard has rows.
struct Place {
  size_t group;
  int64_t row, slot;
};
std::vector<Place> placesOf(const std::vector<PieceLayout::Group>& groups, const PieceLayout& layout, int rank) {
  std::vector<Place> places;
  int64_t first = 0;
  for (size_t g = 0; g < groups.size(); ++g) {
    int64_t most = 0;
    for (int other = 0; other < layout.ranks(); ++other) most = std::max(most, layout.rowCount(g, other));
    for (int64_t i = 0; i < layout.rowCount(g, rank); ++i) places.push_back({g, layout.rowBegin(g, rank) + i, first + i});
    first += most;
  }
  EXPECT_EQ(first, layout.slotCount());
  return places;
}

class EveryRankCount : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Ranks, EveryRankCount, testing::Range(1, 8));

TEST_P(EveryRankCount, EveryRowIsInOneShardAndShardsAreEven) {
  std::mt19937 random(11);
  for (int round = 0; round < 100; ++round) {
    const auto groups = randomGroups(random);
    const PieceLayout layout(groups, GetParam());
    for (size_t g = 0; g < groups.size(); ++g) {
      std::multiset<int64_t> rows;
      for (int rank = 0; rank < GetParam(); ++rank) {
        EXPECT_GE(layout.rowCount(g, rank), groups[g].rows / GetParam());
        EXPECT_LE(layout.rowCount(g, rank), (groups[g].rows + GetParam() - 1) / GetParam());
        for (int64_t i = 0; i < layout.rowCount(g, rank); ++i) rows.insert(layout.rowBegin(g, rank) + i);
      }
      std::multiset<int64_t> all;
      for (int64_t row = 0; row < groups[g].rows; ++row) all.insert(row);
      EXPECT_EQ(rows, all);
    }
  }
}

TEST_P(EveryRankCount, SlotsCountWhatLiesBeforeThem) {
  std::mt19937 random(12);
  for (int round = 0; round < 50; ++round) {
    const auto groups = randomGroups(random);
    const PieceLayout layout(groups, GetParam());
    for (int rank = 0; rank < GetParam(); ++rank) {
      const auto places = placesOf(groups, layout, rank);
      for (int64_t slot = 0; slot <= layout.slotCount(); ++slot) {
        int64_t elements = 0;
        for (const Place& place : places) elements += place.slot < slot ? groups[place.group].columns : 0;
        EXPECT_EQ(layout.elementOffset(rank, slot), elements);
      }
      for (int i = 0; i < 10; ++i) {
        const auto begin = static_cast<int64_t>(random() % static_cast<uint64_t>(layout.slotCount() + 1));
        const auto end = begin + static_cast<int64_t>(random() % static_cast<uint64_t>(layout.slotCount() + 1 - begin));
        for (size_t g = 0; g < groups.size(); ++g) {
          std::vector<int64_t> expected, found;
          for (const Place& place : places)
            if (place.group == g && place.slot >= begin && place.slot < end) expected.push_back(place.row);
          const PieceLayout::Rows rows = layout.rowsIn(g, rank, begin, end);
          for (int64_t row = rows.begin; row < rows.begin + rows.count; ++row) found.push_back(row);
          EXPECT_EQ(found, expected);
        }
      }
    }
  }
}

TEST_P(EveryRankCount, SlotsWithinEqualsAScan) {
  std::mt19937 random(13);
  for (int round = 0; round < 50; ++round) {
    const auto groups = randomGroups(random);
    const PieceLayout layout(groups, GetParam());
    std::vector<int64_t> largest(static_cast<size_t>(layout.slotCount()) + 1, 0);
    for (int64_t slots = 0; slots <= layout.slotCount(); ++slots)
      for (int rank = 0; rank < GetParam(); ++rank) {
        int64_t bytes = 0;
        for (int other = 0; other < GetParam(); ++other)
          if (other != rank)
            for (const Place& place : placesOf(groups, layout, other)) bytes += place.slot < slots ? 4 * groups[place.group].columns : 0;
        EXPECT_EQ(layout.remoteBytes(rank, slots), bytes);
        largest[static_cast<size_t>(slots)] = std::max(largest[static_cast<size_t>(slots)], bytes);
      }
    for (int64_t slots = 0; slots <= layout.slotCount(); ++slots) EXPECT_EQ(layout.largestRemoteBytes(slots), largest[static_cast<size_t>(slots)]);
    for (int64_t bytes = 0; bytes <= largest.back() + 8; ++bytes) {
      int64_t most = 0;
      for (int64_t slots = 0; slots <= layout.slotCount(); ++slots)
        if (largest[static_cast<size_t>(slots)] <= bytes) most = slots;
      ASSERT_EQ(layout.slotsWithin(bytes), most) << bytes << " bytes";
    }
  }
}

}  // namespace
}  // namespace tidemark::memory
