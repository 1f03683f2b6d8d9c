// Looks for a text in all rows of a dataset: in what the messages say, not in how the file writes them. Blocks.
#pragma once

#include <QString>
#include <functional>
#include <unordered_set>

#include "ui/data/scan_dataset.h"

namespace tidemark::ui {

struct FoundRows {
  quint64 request = 0;
  QString text;
  std::unordered_set<int64_t> lines;
  QString problem;  // why there is no answer
};

// Without regard to case; malformed lines are searched as they are written. `goesOn` is asked often; where it says no,
// the error is Cancelled.
Result<std::unordered_set<int64_t>> findRows(const OpenedData& data, const QString& text, const std::function<bool()>& goesOn);

}  // namespace tidemark::ui
