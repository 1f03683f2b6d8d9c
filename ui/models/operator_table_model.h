// The operators of a run as a table: measured in the first iteration.
#pragma once

#include "core/run/event.h"
#include "ui/models/record_table_model.h"

namespace tidemark::ui {

class OperatorTableModel : public RecordTableModel<run::OperatorEvent> {
  Q_OBJECT
 public:
  enum Column { Index, Name, Trend, Kept, Activation, Workspace, Parameters, Remote, Forward, Backward, Gather, ColumnCount };
  using RecordTableModel::RecordTableModel;

 protected:
  int columns() const override { return ColumnCount; }
  QString keyOf(const run::OperatorEvent& op) const override { return QString::number(op.index); }
  QVariant value(const run::OperatorEvent& op, int column, int role) const override;
  QVariant header(int column, int role) const override;
};

}  // namespace tidemark::ui
