// The tokens of one iteration on one rank: whole sequences laid one after the other, never padded.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace tidemark::model {

// n tokens, m of which precede a target. Segments are the rows of the dataset: attention does not cross them and
// positions start at 0 in each, so packed rows give the same loss as separate ones.
struct Batch {
  at::Tensor ids;          // [n] int64
  at::Tensor positions;    // [n] int64
  std::vector<int64_t> segmentLengths;   // sum n
  at::Tensor targetRows;   // [m] int64, ascending: tokens whose successor is a target
  at::Tensor targets;      // [m] int64: that successor

  // What the other ranks run in the same iteration; every rank knows the schedule of all. Index: rank.
  std::vector<std::vector<int64_t>> idsOfRank;
  std::vector<int64_t> targetCountOfRank;

  int64_t tokenCount() const { return ids.size(0); }
};

}  // namespace tidemark::model
