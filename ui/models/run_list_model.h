// The runs as a table: one row each, texts for people in DisplayRole, values to sort by in SortRole, the run's id in KeyRole.
#pragma once

#include "storage/run_store.h"
#include "ui/models/record_table_model.h"

namespace tidemark::ui {

class RunListModel : public RecordTableModel<storage::RunRecord> {
  Q_OBJECT
 public:
  enum Column { Name, Status, Model, Step, Loss, Throughput, Peak, Created, ColumnCount };
  using RecordTableModel::RecordTableModel;

 protected:
  int columns() const override { return ColumnCount; }
  QString keyOf(const storage::RunRecord& run) const override { return QString::fromStdString(run.id); }
  QVariant value(const storage::RunRecord& run, int column, int role) const override;
  QVariant header(int column, int role) const override;
};

}  // namespace tidemark::ui
