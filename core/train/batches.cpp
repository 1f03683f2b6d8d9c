#include "core/train/batches.h"

#include <ATen/Functions.h>

#include <algorithm>

namespace tidemark::train {
namespace {

using Row = text::PreparedDataset::Row;

// Runs with more sequences than this get an upper bound instead of a walk through all of their steps.
constexpr int64_t kMostSequencesToWalk = 2'000'000;

at::Tensor longTensor(const std::vector<int64_t>& values, c10::Device device) {
  return at::tensor(values, at::kLong).to(device);
}

}  // namespace

Batches::Batches(const text::PreparedDataset& dataset, Settings settings, int rank, int worldSize, c10::Device device)
    : dataset_(dataset), settings_(settings), rank_(rank), worldSize_(worldSize), device_(device) {
  for (int64_t i = 0; i < dataset.trainCount(); ++i)
    rowLengths_.push_back(static_cast<int64_t>(dataset.train(i).ids.size()));
  std::vector<text::RowSize> sizes;
  for (int64_t i = 0; i < dataset.trainCount(); ++i)
    sizes.push_back({rowLengths_[static_cast<size_t>(i)], dataset.train(i).targetCount});
  largestSequence_ = text::largestSequence(sizes, settings.maxSequenceLength, settings.packing);
  std::vector<int64_t> evaluationLengths;
  for (int64_t i = 0; i < dataset.evalCount(); ++i)
    evaluationLengths.push_back(static_cast<int64_t>(dataset.eval(i).ids.size()));
  evaluationSequences_ = text::makeEpoch(evaluationLengths, settings.maxSequenceLength, /*packing=*/true, settings.seed, 0);
}

void Batches::extendTo(int64_t sequences) {
  while (streamBegin_ + static_cast<int64_t>(stream_.size()) < sequences) {
    auto epoch = text::makeEpoch(rowLengths_, settings_.maxSequenceLength, settings_.packing, settings_.seed, nextEpoch_++);
    stream_.insert(stream_.end(), epoch.begin(), epoch.end());
  }
}

const std::vector<text::Sequence>& Batches::step(int64_t step) {
  if (step == currentStep_) return current_;
  const int64_t begin = step * settings_.sequencesPerStep, end = begin + settings_.sequencesPerStep;
  if (begin < streamBegin_) {  // an earlier step: start over
    stream_.clear();
    streamBegin_ = nextEpoch_ = 0;
  }
  extendTo(end);
  current_.assign(stream_.begin() + (begin - streamBegin_), stream_.begin() + (end - streamBegin_));
  currentStep_ = step;
  dealtMicroBatch_ = 0;
  stream_.erase(stream_.begin(), stream_.begin() + (begin - streamBegin_));
  streamBegin_ = begin;
  return current_;
}

int64_t Batches::stepTokens(int64_t index) {
  int64_t tokens = 0;
  for (const text::Sequence& sequence : step(index))
    for (const int64_t row : sequence) tokens += rowLengths_[static_cast<size_t>(row)];
  return tokens;
}

int64_t Batches::stepTargets(int64_t index) {
  int64_t targets = 0;
  for (const text::Sequence& sequence : step(index))
    for (const int64_t row : sequence) targets += dataset_.train(row).targetCount;
  return targets;
}

int64_t Batches::tokensOf(const text::Sequence& sequence) const {
  int64_t tokens = 0;
  for (const int64_t row : sequence) tokens += rowLengths_[static_cast<size_t>(row)] - 1;
  return tokens;
}

int64_t Batches::targetsOf(const text::Sequence& sequence) const {
  int64_t targets = 0;
  for (const int64_t row : sequence) targets += dataset_.train(row).targetCount;
  return targets;
}

const std::vector<std::vector<size_t>>& Batches::dealt(int64_t index, int64_t microBatch) {
  const std::vector<text::Sequence>& sequences = step(index);
  if (dealtMicroBatch_ == microBatch) return dealt_;
  std::vector<int64_t> lengths;
  for (const text::Sequence& sequence : sequences) lengths.push_back(tokensOf(sequence));
  dealt_ = text::evenBatches(lengths, microBatch);
  dealtMicroBatch_ = microBatch;
  return dealt_;
}

const Batches::Largest& Batches::largestBatch(int64_t sequences) {
  const auto found = largest_.find(sequences);
  return found != largest_.end() ? found->second : largest_.emplace(sequences, findLargest(sequences)).first->second;
}

Batches::Largest Batches::findLargest(int64_t sequences) {
  if (settings_.steps == 0 || settings_.steps > kMostSequencesToWalk / settings_.sequencesPerStep)
    return {sequences * std::max<int64_t>(1, largestSequence_.tokens - 1), sequences * largestSequence_.targets, -1, -1};
  Batches walk(*this);  // keeps this one's place in the stream of epochs
  Largest largest;
  for (int64_t index = 0; index < settings_.steps; ++index) {
    const std::vector<text::Sequence>& all = walk.step(index);
    const auto& batches = walk.dealt(index, sequences);
    for (size_t b = 0; b < batches.size(); ++b) {
      int64_t tokens = 0, targets = 0;
      for (const size_t which : batches[b]) {
        tokens += tokensOf(all[which]);
        targets += targetsOf(all[which]);
      }
      if (tokens > largest.tokens) largest = {tokens, largest.targets, index, static_cast<int64_t>(b) / worldSize_};
      largest.targets = std::max(largest.targets, targets);
    }
  }
  return largest;
}

model::Batch Batches::training(int64_t stepIndex, int64_t iteration, int64_t microBatch) {
  const std::vector<text::Sequence>& sequences = step(stepIndex);
  const auto& batches = dealt(stepIndex, microBatch);
  std::vector<std::vector<Row>> rows(static_cast<size_t>(worldSize_));
  for (int rank = 0; rank < worldSize_; ++rank)
    for (const size_t which : batches[static_cast<size_t>(iteration * worldSize_ + rank)])
      for (const int64_t row : sequences[which]) rows[static_cast<size_t>(rank)].push_back(dataset_.train(row));
  return batchFromRows(rows, rank_, device_);
}

int64_t Batches::trainingTokens(int64_t stepIndex, int64_t iteration, int64_t microBatch) {
  const std::vector<text::Sequence>& sequences = step(stepIndex);
  int64_t tokens = 0;  // the heaviest of the iteration is its first
  for (const size_t which : dealt(stepIndex, microBatch)[static_cast<size_t>(iteration * worldSize_)]) tokens += tokensOf(sequences[which]);
  return tokens;
}

int64_t Batches::evaluationIterations() const {
  return (static_cast<int64_t>(evaluationSequences_.size()) + worldSize_ - 1) / worldSize_;
}

model::Batch Batches::evaluation(int64_t iteration, bool* counts) const {
  const auto count = static_cast<int64_t>(evaluationSequences_.size());
  std::vector<std::vector<Row>> rows(static_cast<size_t>(worldSize_));
  for (int rank = 0; rank < worldSize_; ++rank)
    for (const int64_t row : evaluationSequences_[static_cast<size_t>(std::min(iteration * worldSize_ + rank, count - 1))])
      rows[static_cast<size_t>(rank)].push_back(dataset_.eval(row));
  *counts = iteration * worldSize_ + rank_ < count;
  return batchFromRows(rows, rank_, device_);
}

model::Batch batchFromRows(const std::vector<std::vector<Row>>& rowsOfRank, int rank, c10::Device device) {
  model::Batch batch;
  std::vector<int64_t> positions, targetRows, targets;
  for (size_t of = 0; of < rowsOfRank.size(); ++of) {
    std::vector<int64_t> ids;
    int64_t targetCount = 0;
    for (const Row& row : rowsOfRank[of]) {
      // The last token of a row is only ever a target: nothing is computed from it.
      const auto length = static_cast<int64_t>(row.ids.size()) - 1;
      targetCount += row.targetCount;
      if (static_cast<int>(of) == rank) {
        batch.segmentLengths.push_back(length);
        for (int64_t t = 0; t < length; ++t) {
          positions.push_back(t);
          if (!row.hasLoss[static_cast<size_t>(t + 1)]) continue;
          targetRows.push_back(static_cast<int64_t>(ids.size()) + t);
          targets.push_back(row.ids[static_cast<size_t>(t + 1)]);
        }
      }
      ids.insert(ids.end(), row.ids.begin(), row.ids.end() - 1);
    }
    batch.idsOfRank.push_back(std::move(ids));
    batch.targetCountOfRank.push_back(targetCount);
  }
  batch.ids = longTensor(batch.idsOfRank[static_cast<size_t>(rank)], device);
  batch.positions = longTensor(positions, device);
  batch.targetRows = longTensor(targetRows, device);
  batch.targets = longTensor(targets, device);
  return batch;
}

model::Batch batchFromIds(const std::vector<int64_t>& ids, c10::Device device) {
  model::Batch batch;
  const auto n = static_cast<int64_t>(ids.size()) - 1;
  batch.idsOfRank = {std::vector<int64_t>(ids.begin(), ids.end() - 1)};
  batch.targetCountOfRank = {n};
  batch.segmentLengths = {n};
  batch.ids = longTensor(batch.idsOfRank[0], device);
  batch.positions = at::arange(n, at::kLong).to(device);
  batch.targetRows = batch.positions;
  batch.targets = longTensor(std::vector<int64_t>(ids.begin() + 1, ids.end()), device);
  return batch;
}

}  // namespace tidemark::train
