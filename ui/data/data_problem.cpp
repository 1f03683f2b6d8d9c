#include "ui/data/data_problem.h"

#include <QCoreApplication>
#include <algorithm>

#include "plots/quantity.h"

namespace tidemark::ui {
namespace {

using text::RowUse;

QString tr(const char* text) { return QCoreApplication::translate("tidemark::ui::DataProblem", text); }

QString count(int64_t number) { return plots::countText(static_cast<double>(number)); }

}  // namespace

text::RowUse useOf(const RowFacts& row, const RowLimit& limit) {
  return text::useOfRow({row.tokens, row.targetsWithin(limit.maxSequenceLength)}, limit.maxSequenceLength, limit.truncation);
}

bool hasProblem(const RowFacts& row, DataProblem problem, const RowLimit& limit) {
  const bool isUsable = row.state == RowFacts::State::Usable;
  switch (problem) {
    case DataProblem::Malformed: return row.state == RowFacts::State::Malformed;
    case DataProblem::Refused: return row.state == RowFacts::State::Refused;
    case DataProblem::WithoutLoss: return isUsable && (row.loss.empty() || useOf(row, limit) == RowUse::WithoutLoss);
    case DataProblem::TooLong: return isUsable && row.tokens > limit.maxSequenceLength;
    case DataProblem::Duplicate: return row.duplicateOf > 0;
    case DataProblem::BlankLines:
    case DataProblem::ByteOrderMark: return false;
  }
  return false;
}

bool hasAnyProblem(const RowFacts& row, const RowLimit& limit) {
  for (std::size_t i = 0; i < kRowProblems; ++i)
    if (hasProblem(row, static_cast<DataProblem>(i), limit)) return true;
  return false;
}

QString useText(const RowFacts& row, const RowLimit& limit) {
  if (row.state == RowFacts::State::Malformed) return tr("✕ malformed: %1").arg(row.problem);
  if (row.state == RowFacts::State::Refused) return tr("✕ refused: %1").arg(row.problem);
  const QString same = row.duplicateOf > 0 ? tr(" · same as line %1").arg(count(row.duplicateOf)) : QString();
  switch (useOf(row, limit)) {
    case RowUse::Whole: return tr("whole") + same;
    case RowUse::Cut: return tr("✂ cut at %1").arg(count(limit.maxSequenceLength)) + same;
    case RowUse::TooLong: return tr("✕ left out, too long") + same;
    case RowUse::RefusedLong: return tr("✕ refused, too long") + same;
    case RowUse::WithoutLoss: return tr("✕ left out, no loss") + same;
  }
  return {};
}

QString problemName(DataProblem problem, const RowLimit& limit) {
  switch (problem) {
    case DataProblem::Malformed: return tr("Malformed lines");
    case DataProblem::Refused: return tr("Refused by the template");
    case DataProblem::WithoutLoss: return tr("Rows without loss");
    case DataProblem::TooLong: return tr("Rows longer than %1 tokens").arg(count(limit.maxSequenceLength));
    case DataProblem::Duplicate: return tr("Duplicates");
    case DataProblem::BlankLines: return tr("Blank lines");
    case DataProblem::ByteOrderMark: return tr("Byte order mark");
  }
  return {};
}

QString problemAdvice(DataProblem problem, const RowLimit& limit) {
  switch (problem) {
    case DataProblem::Malformed: return tr("A run with them is refused. Mend or remove these lines.");
    case DataProblem::Refused: return tr("A run with them is refused. The row tells why.");
    case DataProblem::WithoutLoss:
      return tr("Left out. Is the answer empty, of another role, or beyond the limit?");
    case DataProblem::TooLong:
      switch (limit.truncation) {
        case text::Truncation::Drop: return tr("Left out. Raise the sequence length, or let longer examples be cut.");
        case text::Truncation::Truncate: return tr("Cut at the end, perhaps in the answer. Raise the sequence length.");
        case text::Truncation::Error: return tr("A run with them is refused. Raise the sequence length, or leave them out.");
      }
      return {};
    case DataProblem::Duplicate: return tr("Trained on more than once.");
    case DataProblem::BlankLines: return tr("Skipped. They do no harm.");
    case DataProblem::ByteOrderMark: return tr("Skipped. Other tools may stumble over it.");
  }
  return {};
}

DataSummary summarize(const std::vector<RowFacts>& rows, const RowLimit& limit) {
  DataSummary summary;
  summary.rows = static_cast<int64_t>(rows.size());
  for (const RowFacts& row : rows) {
    for (std::size_t i = 0; i < kRowProblems; ++i) summary.counts[i] += hasProblem(row, static_cast<DataProblem>(i), limit);
    if (row.state != RowFacts::State::Usable) continue;
    ++summary.usable;
    summary.longest = std::max(summary.longest, row.tokens);
    const RowUse use = useOf(row, limit);
    if (use != RowUse::Whole && use != RowUse::Cut) continue;
    ++summary.trained;
    summary.tokens += std::min(row.tokens, limit.maxSequenceLength);
    summary.targets += row.targetsWithin(limit.maxSequenceLength);
  }
  return summary;
}

}  // namespace tidemark::ui
