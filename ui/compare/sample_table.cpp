#include "ui/compare/sample_table.h"

#include <QLocale>
#include <algorithm>

namespace tidemark::ui {

std::vector<SampleRow> samplesOf(const ComparedRuns& runs) {
  std::vector<SampleRow> rows;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    for (const run::SampleEvent& sample : runs[i]->samples) {  // oldest first: the newest of a prompt stays
      auto row = std::find_if(rows.begin(), rows.end(), [&](const SampleRow& known) { return known.prompt == sample.prompt; });
      if (row == rows.end()) row = rows.insert(rows.end(), SampleRow{sample.prompt, std::vector<std::optional<run::SampleEvent>>(runs.size())});
      row->texts[i] = sample;
    }
  }
  return rows;
}

void SampleTableModel::setRuns(const ComparedRuns& runs) {
  beginResetModel();
  runs_ = runs;
  rows_ = samplesOf(runs);
  endResetModel();
}

int SampleTableModel::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : static_cast<int>(rows_.size()); }

int SampleTableModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : static_cast<int>(runs_.size()) + 1; }

QVariant SampleTableModel::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid)) return {};
  const SampleRow& row = rows_[static_cast<std::size_t>(index.row())];
  if (role == Qt::TextAlignmentRole) return QVariant(Qt::AlignLeft | Qt::AlignTop);
  if (role != Qt::DisplayRole) return {};
  if (index.column() == 0) return QString::fromStdString(row.prompt);
  const auto& sample = row.texts[static_cast<std::size_t>(index.column()) - 1];
  return sample ? tr("%1\n(step %2)").arg(QString::fromStdString(sample->text)).arg(QLocale().toString(static_cast<qlonglong>(sample->step))) : QStringLiteral("–");
}

QVariant SampleTableModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= columnCount()) return {};
  if (role == Qt::TextAlignmentRole) return QVariant(Qt::AlignLeft | Qt::AlignVCenter);
  if (role != Qt::DisplayRole) return {};
  return section == 0 ? tr("Prompt") : QString::fromStdString(runs_[static_cast<std::size_t>(section) - 1]->record.name).simplified();
}

}  // namespace tidemark::ui
