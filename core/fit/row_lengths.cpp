#include "core/fit/row_lengths.h"

#include <algorithm>

namespace tidemark::fit {

RowLengths RowLengths::of(const text::PreparedDataset& data, int64_t limit) {
  std::vector<text::RowSize> rows;
  rows.reserve(static_cast<size_t>(data.trainCount()));
  for (int64_t i = 0; i < data.trainCount(); ++i)
    rows.push_back({static_cast<int64_t>(data.train(i).ids.size()), data.train(i).targetCount});
  return {std::move(rows), limit};
}

const SequenceSizes& RowLengths::sequences(const run::DatasetConfig& dataset) const {
  const std::string key = std::to_string(dataset.maxSeqLength) + (dataset.packing ? "p" : "-") + dataset.truncation;
  if (const auto found = known_.find(key); found != known_.end()) return found->second;
  SequenceSizes sizes;
  std::vector<text::RowSize> rows;
  std::vector<int64_t> lengths;
  double tokens = 0, squares = 0;
  for (text::RowSize row : rows_) {
    if (row.tokens > dataset.maxSeqLength) {
      ++sizes.tooLong;
      if (dataset.truncation != "truncate") continue;
      // At worst what is left of a row is its densest part.
      row = {dataset.maxSeqLength, std::min(row.targets, dataset.maxSeqLength - 1)};
    }
    const auto computed = static_cast<double>(row.tokens - 1);
    tokens += computed;
    squares += computed * computed;
    sizes.longestRow = std::max(sizes.longestRow, row.tokens - 1);
    rows.push_back(row);
    lengths.push_back(row.tokens);
  }
  sizes.rows = static_cast<int64_t>(rows.size());
  if (!rows.empty() && tokens > 0) {
    const text::RowSize largest = text::largestSequence(rows, dataset.maxSeqLength, dataset.packing);
    sizes.tokens = largest.tokens - 1;
    sizes.targets = std::max<int64_t>(1, largest.targets);
    sizes.meanRow = squares / tokens;
    sizes.meanTokens = tokens / static_cast<double>(text::makeEpoch(lengths, dataset.maxSeqLength, dataset.packing, 0, 0).size());
  }
  return known_.emplace(key, sizes).first->second;
}

}  // namespace tidemark::fit
