// Decides which rows of a dataset make up each sequence of an epoch. A pure function: every rank computes the same list.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace tidemark::text {

using Sequence = std::vector<int64_t>;  // row indices, in the order in which they are laid out

// Every row appears exactly once. Rows are shuffled by (seed, epoch); with packing each goes into the first sequence
// that still has room for it (first fit), without it each row is a sequence of its own.
// No row may be longer than maxSequenceLength (prepareDataset sees to it).
std::vector<Sequence> makeEpoch(std::span<const int64_t> rowLengths, int64_t maxSequenceLength, bool packing,
                                uint64_t seed, int64_t epoch);

// Divides sequences of these lengths into batches of `perBatch` (which divides their count) with lengths as even as going
// from the longest to the shortest makes them, each into the lightest batch with room (Graham 1969, with a bound on the
// count). Positions in the list, ascending in a batch; the heaviest batch first.
std::vector<std::vector<size_t>> evenBatches(std::span<const int64_t> lengths, int64_t perBatch);

struct RowSize {
  int64_t tokens = 0, targets = 0;
};
// The most tokens of any sequence, in any epoch, and an upper bound of its targets.
RowSize largestSequence(std::span<const RowSize> rows, int64_t maxSequenceLength, bool packing);

}  // namespace tidemark::text
