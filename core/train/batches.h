// Which sequences each step, iteration and rank runs, and the tensors made of them. Deterministic: any rank knows what
// every rank runs, and the rows of a step do not depend on ranks or micro-batch. Within a step, sequences are dealt out so
// that micro-batches have even lengths and those that ranks run at the same time are alike; the longest come first.
#pragma once

#include <cstdint>
#include <map>
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
    int64_t steps = 0;               // of the whole run; 0: unknown
  };
  Batches(const text::PreparedDataset& dataset, Settings settings, int rank, int worldSize, c10::Device device);

  // Sequences of a step (0-based), as they come from the epochs.
  const std::vector<text::Sequence>& step(int64_t step);
  int64_t stepTokens(int64_t step);        // of all ranks
  int64_t stepTargets(int64_t step);
  // The largest micro-batch of `sequences` sequences: over the steps of the run where those can be gone through, otherwise
  // an upper bound for any epoch.
  struct Largest {
    int64_t tokens = 0;      // that go through the model
    int64_t targets = 0;
    int64_t step = 0, iteration = 0;  // where the one with the most tokens runs; -1: unknown
  };
  const Largest& largestBatch(int64_t sequences);

  // Micro-batch number `iteration` of each rank in a step with `microBatch` sequences a rank.
  model::Batch training(int64_t step, int64_t iteration, int64_t microBatch);
  // Its tokens, of the rank with the most.
  int64_t trainingTokens(int64_t step, int64_t iteration, int64_t microBatch);

  // Evaluation: rows packed into sequences; iteration i runs sequence i * worldSize + rank. Ranks past the end run the last
  // sequence again and must not count it.
  int64_t evaluationIterations() const;
  model::Batch evaluation(int64_t iteration, bool* counts) const;

 private:
  void extendTo(int64_t sequences);
  int64_t tokensOf(const text::Sequence& sequence) const;  // that go through the model: the last of a row is a target only
  int64_t targetsOf(const text::Sequence& sequence) const;
  const std::vector<std::vector<size_t>>& dealt(int64_t step, int64_t microBatch);
  Largest findLargest(int64_t sequences);

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
  std::vector<std::vector<size_t>> dealt_;  // of current_, in micro-batches of dealtMicroBatch_
  int64_t dealtMicroBatch_ = 0;
  std::map<int64_t, Largest> largest_;      // by sequences in a micro-batch
};

// The batch of `rank` where every rank runs the given rows, one after the other.
model::Batch batchFromRows(const std::vector<std::vector<text::PreparedDataset::Row>>& rowsOfRank, int rank,
                           c10::Device device);

// Tensors for one rank alone, from token ids (scoring and tests): every token after the first is a target.
model::Batch batchFromIds(const std::vector<int64_t>& ids, c10::Device device);

}  // namespace tidemark::train
