#include "core/memory/piece_layout.h"

#include <algorithm>

namespace tidemark::memory {

PieceLayout::PieceLayout(std::vector<Group> groups, int ranks, int64_t elementBytes)
    : groups_(std::move(groups)), ranks_(ranks), elementBytes_(elementBytes) {
  for (const Group& group : groups_) {
    firstSlot_.push_back(slotCount_);
    slotCount_ += (group.rows + ranks_ - 1) / ranks_;
  }
}

PieceLayout::Rows PieceLayout::rowsIn(size_t group, int rank, int64_t slotBegin, int64_t slotEnd) const {
  const int64_t count = rowCount(group, rank);
  const int64_t begin = std::clamp<int64_t>(slotBegin - firstSlot_[group], 0, count);
  const int64_t end = std::clamp<int64_t>(slotEnd - firstSlot_[group], 0, count);
  return {rowBegin(group, rank) + begin, end - begin};
}

int64_t PieceLayout::elementOffset(int rank, int64_t slot) const {
  int64_t elements = 0;
  for (size_t g = 0; g < groups_.size(); ++g) elements += rowsIn(g, rank, 0, slot).count * groups_[g].columns;
  return elements;
}

int64_t PieceLayout::remoteBytes(int rank, int64_t slots) const {
  int64_t elements = 0;
  for (int other = 0; other < ranks_; ++other)
    if (other != rank) elements += elementOffset(other, slots);
  return elements * elementBytes_;
}

int64_t PieceLayout::largestRemoteBytes(int64_t slots) const {
  int64_t largest = 0;
  for (int rank = 0; rank < ranks_; ++rank) largest = std::max(largest, remoteBytes(rank, slots));
  return largest;
}

int64_t PieceLayout::slotsWithin(int64_t bytes) const {
  int64_t low = 0, high = slotCount_;
  while (low < high) {
    const int64_t middle = (low + high + 1) / 2;
    if (largestRemoteBytes(middle) <= bytes) low = middle;
    else high = middle - 1;
  }
  return low;
}

}  // namespace tidemark::memory
