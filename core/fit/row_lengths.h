// The lengths of a dataset's rows, and what sequences they make under any limit. Keeps its answers; one thread at a time.
#pragma once

#include <map>
#include <vector>

#include "core/run/config.h"
#include "core/text/packing.h"
#include "core/text/prepared_dataset.h"

namespace tidemark::fit {

struct SequenceSizes {
  int64_t rows = 0;                          // that are left
  int64_t tokens = 0, targets = 0;           // of the largest sequence; nothing is computed from its last token
  int64_t longestRow = 0;                    // tokens that are computed of it
  double meanRow = 0;                        // length of the row that a token is in, on average
  double meanTokens = 0;                     // of a sequence
  int64_t tooLong = 0;                       // rows beyond the limit: left out, cut, or an error
};

class RowLengths {
 public:
  // Rows as prepareDataset leaves them under a limit; answers hold for limits up to that one.
  RowLengths(std::vector<text::RowSize> rows, int64_t limit) : rows_(std::move(rows)), limit_(limit) {}
  static RowLengths of(const text::PreparedDataset& data, int64_t limit);

  int64_t limit() const { return limit_; }
  int64_t rowCount() const { return static_cast<int64_t>(rows_.size()); }
  const SequenceSizes& sequences(const run::DatasetConfig& dataset) const;

 private:
  std::vector<text::RowSize> rows_;
  int64_t limit_;
  mutable std::map<std::string, SequenceSizes> known_;
};

}  // namespace tidemark::fit
