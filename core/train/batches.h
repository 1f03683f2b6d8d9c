// Which sequences each step, iteration and rank runs, and the tensors made of them. Deterministic: any rank knows what
// every rank runs, and the rows of a step do not depend on ranks or micro-batch.
#pragma once

#include <cstdint>
#include <vector>

#include "core/comm/communicator.h"
#include "core/model/batch.h"
#include "core/text/packing.h"
#include "core/text/prepared_dataset.h"

namespace tidemark::train {

class Batches {
 public:
  struct Settings {
    int64_t sequencesPerStep = 16;   // over all ranks
    int64_t maxSequenceLength = 512;
    bool packing = true;
    uint64_t seed = 42;
  };
  Batches(const text::PreparedDataset& dataset, Settings settings, int rank, int worldSize, c10::Device device);

  // Sequences of a step (0-based), in the order in which iterations and ranks take them.
  const std::vector<text::Sequence>& step(int64_t step);
  int64_t stepTokens(int64_t step);        // of all ranks
  int64_t stepTargets(int64_t step);
  // The most tokens that a micro-batch of `sequences` sequences can have, in any epoch.
  int64_t largestBatchTokens(int64_t sequences) const;
  int64_t largestBatchTargets(int64_t sequences) const;  // an upper bound

  // Iteration `iteration` of a step with `microBatch` sequences per rank.
  model::Batch training(int64_t step, int64_t iteration, int64_t microBatch);

  // Evaluation: rows packed into sequences; iteration i runs sequence i * worldSize + rank. Ranks past the end run the last
  // sequence again and must not count it.
  int64_t evaluationIterations() const;
  model::Batch evaluation(int64_t iteration, bool* counts) const;

 private:
  void extendTo(int64_t sequences);

  const text::PreparedDataset& dataset_;
  Settings settings_;
  int rank_, worldSize_;
  c10::Device device_;
  std::vector<int64_t> rowLengths_;
  text::RowSize largestSequence_;
  std::vector<text::Sequence> evaluationSequences_;
  std::vector<text::Sequence> stream_;      // epochs, one after the other, from sequence streamBegin_ on
  int64_t streamBegin_ = 0, nextEpoch_ = 0;
  std::vector<text::Sequence> current_;
  int64_t currentStep_ = -1;
};

// The batch of `rank` where every rank runs the given rows, one after the other.
model::Batch batchFromRows(const std::vector<std::vector<text::PreparedDataset::Row>>& rowsOfRank, int rank,
                           c10::Device device);

// Tensors for one rank alone, from token ids (scoring and tests): every token after the first is a target.
model::Batch batchFromIds(const std::vector<int64_t>& ids, c10::Device device);

}  // namespace tidemark::train
