// The library as a list to choose from: a box to tick for each run, beside the mark that a chosen one has in the comparison.
#pragma once

#include <QString>
#include <map>

#include "plots/plot_theme.h"
#include "storage/run_store.h"
#include "ui/models/record_table_model.h"

namespace tidemark::ui {

class RunChoiceModel : public RecordTableModel<storage::RunRecord> {
  Q_OBJECT
 public:
  enum Column { Name, Created, ColumnCount };
  using RecordTableModel::RecordTableModel;

  void setChosen(std::map<QString, int> marks);  // by run
  void setTheme(const plots::PlotTheme& theme);
  Qt::ItemFlags flags(const QModelIndex& index) const override;
  bool setData(const QModelIndex& index, const QVariant& value, int role) override;

 signals:
  void ticked(const QString& runId, bool isChosen);

 protected:
  int columns() const override { return ColumnCount; }
  QString keyOf(const storage::RunRecord& run) const override { return QString::fromStdString(run.id); }
  QVariant value(const storage::RunRecord& run, int column, int role) const override;
  QVariant header(int column, int role) const override;

 private:
  std::map<QString, int> marks_;
  plots::PlotTheme theme_ = plots::PlotTheme::light();
};

}  // namespace tidemark::ui
