// Where the rows of a piece lie: which rank owns which rows, and what a slot means in bytes. See Note: slots.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tidemark::memory {

class PieceLayout {
 public:
  struct Group {
    int64_t rows = 0, columns = 0;  // columns: elements of a row as it is stored
  };
  PieceLayout(std::vector<Group> groups, int ranks, int64_t elementBytes = sizeof(float));

  int ranks() const { return ranks_; }
  size_t groupCount() const { return groups_.size(); }
  int64_t slotCount() const { return slotCount_; }
  int64_t rowBegin(size_t group, int rank) const { return groups_[group].rows * rank / ranks_; }
  int64_t rowCount(size_t group, int rank) const { return rowBegin(group, rank + 1) - rowBegin(group, rank); }

  // Elements of `rank`'s shard that lie in slots [0, slot); the shard stores them in this order.
  int64_t elementOffset(int rank, int64_t slot) const;
  // Rows of `group` that `rank` has in slots [slotBegin, slotEnd): first row (of the group) and count.
  struct Rows {
    int64_t begin = 0, count = 0;
  };
  Rows rowsIn(size_t group, int rank, int64_t slotBegin, int64_t slotEnd) const;

  // Bytes of the first `slots` slots of all ranks but `rank`; and the largest of it over all ranks.
  int64_t remoteBytes(int rank, int64_t slots) const;
  int64_t largestRemoteBytes(int64_t slots) const;
  // The most slots whose largestRemoteBytes is at most `bytes`.
  int64_t slotsWithin(int64_t bytes) const;

 private:
  std::vector<Group> groups_;
  std::vector<int64_t> firstSlot_;
  int ranks_;
  int64_t elementBytes_;
  int64_t slotCount_ = 0;
};

}  // namespace tidemark::memory
