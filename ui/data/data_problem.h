// What can be wrong with a dataset, and how much of it is: counted anew for every limit on the length of a row.
#pragma once

#include <QString>
#include <array>
#include <vector>

#include "core/text/row_use.h"
#include "ui/data/row_facts.h"

namespace tidemark::ui {

// Those of rows first, then those of the file.
enum class DataProblem { Malformed, Refused, WithoutLoss, TooLong, Duplicate, BlankLines, ByteOrderMark };
constexpr std::size_t kDataProblems = 7;
constexpr std::size_t kRowProblems = 5;

struct RowLimit {
  int64_t maxSequenceLength = 512;
  text::Truncation truncation = text::Truncation::Drop;
  bool operator==(const RowLimit&) const = default;
};

// Usable rows only.
text::RowUse useOf(const RowFacts& row, const RowLimit& limit);
bool hasProblem(const RowFacts& row, DataProblem problem, const RowLimit& limit);
bool hasAnyProblem(const RowFacts& row, const RowLimit& limit);
// What training does with the row, in words.
QString useText(const RowFacts& row, const RowLimit& limit);
QString problemName(DataProblem problem, const RowLimit& limit);
// What follows from it, and what to do.
QString problemAdvice(DataProblem problem, const RowLimit& limit);

struct DataSummary {
  int64_t rows = 0, usable = 0;     // not blank; with tokens
  int64_t trained = 0;              // used by training, whole or cut
  int64_t tokens = 0, targets = 0;  // of the rows that are used, within the limit
  int64_t longest = 0;              // tokens of the longest row, whole
  std::array<int64_t, kDataProblems> counts{};
  int64_t count(DataProblem problem) const { return counts[static_cast<std::size_t>(problem)]; }
};
// BlankLines and ByteOrderMark are the caller's to add.
DataSummary summarize(const std::vector<RowFacts>& rows, const RowLimit& limit);

}  // namespace tidemark::ui
