#include "core/text/packing.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <numeric>

#include "core/base/random.h"

namespace tidemark::text {
namespace {

// Finds the first sequence with enough room in logarithmic time: a binary tree over the free space of all sequences,
// each inner node holding the greatest of its two children.
class FreeSpace {
 public:
  FreeSpace(size_t count, int64_t room) : leaves_(std::bit_ceil(std::max<size_t>(count, 1))), tree_(2 * leaves_, room) {}

  // There is always one: no row is longer than an empty sequence, and there are as many sequences as rows.
  size_t takeFirst(int64_t length) {
    size_t node = 1;
    assert(tree_[node] >= length);
    while (node < leaves_) node = tree_[2 * node] >= length ? 2 * node : 2 * node + 1;
    const size_t found = node - leaves_;
    tree_[node] -= length;
    while ((node /= 2) > 0) tree_[node] = std::max(tree_[2 * node], tree_[2 * node + 1]);
    return found;
  }

 private:
  size_t leaves_;
  std::vector<int64_t> tree_;
};

}  // namespace

std::vector<Sequence> makeEpoch(std::span<const int64_t> rowLengths, int64_t maxSequenceLength, bool packing,
                                uint64_t seed, int64_t epoch) {
  std::vector<int64_t> order(rowLengths.size());
  std::iota(order.begin(), order.end(), 0);
  SplitMix64 random(seed, static_cast<uint64_t>(epoch));
  shuffle(order, random);

  std::vector<Sequence> sequences;
  if (!packing) {
    sequences.reserve(order.size());
    for (const int64_t row : order) sequences.push_back({row});
    return sequences;
  }
  FreeSpace free(order.size(), maxSequenceLength);
  for (const int64_t row : order) {
    const int64_t length = rowLengths[static_cast<size_t>(row)];
    assert(length >= 0 && length <= maxSequenceLength);
    const size_t chosen = free.takeFirst(length);
    if (chosen >= sequences.size()) sequences.resize(chosen + 1);
    sequences[chosen].push_back(row);
  }
  return sequences;
}

std::vector<std::vector<size_t>> evenBatches(std::span<const int64_t> lengths, int64_t perBatch) {
  assert(perBatch > 0 && static_cast<int64_t>(lengths.size()) % perBatch == 0);
  std::vector<size_t> order(lengths.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return lengths[a] > lengths[b]; });
  struct Filled {
    int64_t length = 0;
    std::vector<size_t> members;
  };
  std::vector<Filled> batches(lengths.size() / static_cast<size_t>(perBatch));
  const auto isHeavier = [&](size_t a, size_t b) { return std::pair(batches[a].length, a) > std::pair(batches[b].length, b); };
  std::vector<size_t> open(batches.size());  // a heap with the lightest on top
  std::iota(open.begin(), open.end(), size_t{0});
  for (const size_t sequence : order) {
    std::pop_heap(open.begin(), open.end(), isHeavier);
    Filled& lightest = batches[open.back()];
    lightest.length += lengths[sequence];
    lightest.members.push_back(sequence);
    if (static_cast<int64_t>(lightest.members.size()) == perBatch) open.pop_back();
    else std::push_heap(open.begin(), open.end(), isHeavier);
  }
  std::stable_sort(batches.begin(), batches.end(), [](const Filled& a, const Filled& b) { return a.length > b.length; });
  std::vector<std::vector<size_t>> result;
  for (Filled& batch : batches) {
    std::sort(batch.members.begin(), batch.members.end());
    result.push_back(std::move(batch.members));
  }
  return result;
}

RowSize largestSequence(std::span<const RowSize> rows, int64_t maxSequenceLength, bool packing) {
  RowSize longest, total;
  for (const RowSize& row : rows) {
    longest = {std::max(longest.tokens, row.tokens), std::max(longest.targets, row.targets)};
    total.tokens += row.tokens;
  }
  if (!packing) return longest;
  // A sequence filled with the densest rows, the last of them in part.
  std::vector<RowSize> byDensity(rows.begin(), rows.end());
  std::sort(byDensity.begin(), byDensity.end(),
            [](const RowSize& a, const RowSize& b) { return a.targets * b.tokens > b.targets * a.tokens; });
  const int64_t room = std::min(maxSequenceLength, total.tokens);
  double targets = 0;
  int64_t left = room;
  for (const RowSize& row : byDensity) {
    const int64_t tokens = std::min(left, row.tokens);
    targets += static_cast<double>(row.targets) * static_cast<double>(tokens) / static_cast<double>(row.tokens);
    left -= tokens;
    if (left == 0) break;
  }
  return {room, static_cast<int64_t>(std::ceil(targets))};
}

}  // namespace tidemark::text
