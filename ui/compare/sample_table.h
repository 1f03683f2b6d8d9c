// What the runs generated for the same prompts, side by side: a prompt a row, a run a column, the newest text of each. Texts
// from outside: plain, and never a formula or a tag.
#pragma once

#include <QAbstractTableModel>
#include <vector>

#include "ui/compare/compared_run.h"

namespace tidemark::ui {

struct SampleRow {
  std::string prompt;
  std::vector<std::optional<run::SampleEvent>> texts;  // one for each run; none: it has not answered this prompt
};

// Prompts in the order in which the runs were first asked.
std::vector<SampleRow> samplesOf(const ComparedRuns& runs);

class SampleTableModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  using QAbstractTableModel::QAbstractTableModel;

  void setRuns(const ComparedRuns& runs);
  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  ComparedRuns runs_;
  std::vector<SampleRow> rows_;
};

}  // namespace tidemark::ui
