// The points of one sweep as a table: number, the values that are tried, state, step, objective, and the best one called so.
#pragma once

#include "storage/sweep_record.h"
#include "ui/models/record_table_model.h"

namespace tidemark::ui {

struct SweepPointRow {
  storage::SweepPoint point;
  bool isBest = false;
};

class SweepPointsModel : public RecordTableModel<SweepPointRow> {
  Q_OBJECT
 public:
  using RecordTableModel::RecordTableModel;

  // What the columns between the first and the last three are; `objective` as in the database.
  void setKeys(const QStringList& keys, bool hasSeeds, const std::string& objective);
  void setPoints(const std::vector<storage::SweepPoint>& points);
  int stateColumn() const { return 1 + static_cast<int>(keys_.size()) + (hasSeeds_ ? 1 : 0); }

 protected:
  int columns() const override { return stateColumn() + 3; }
  QString keyOf(const SweepPointRow& row) const override { return QString::number(row.point.number); }
  QVariant value(const SweepPointRow& row, int column, int role) const override;
  QVariant header(int column, int role) const override;

 private:
  QString textOf(const SweepPointRow& row, int column) const;
  QVariant sortValue(const SweepPointRow& row, int column) const;
  QString valueAt(const SweepPointRow& row, int column) const;

  QStringList keys_;
  bool hasSeeds_ = false;
  std::string objective_;
};

}  // namespace tidemark::ui
