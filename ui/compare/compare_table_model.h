// The comparison as an item model: texts for people, the run's id in the header, and which cell is best.
#pragma once

#include <QAbstractTableModel>

#include "plots/plot_theme.h"
#include "ui/compare/compare_rows.h"

namespace tidemark::ui {

class CompareTableModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Role { RunIdRole = Qt::UserRole };
  using QAbstractTableModel::QAbstractTableModel;

  void setTable(CompareTable table);  // keeps selection and scroll position where rows and columns stay
  void setTheme(const plots::PlotTheme& theme);
  const CompareTable& table() const { return table_; }

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
  Qt::ItemFlags flags(const QModelIndex& index) const override;

 private:
  QVariant columnHeader(const CompareColumn& column, int role) const;
  QVariant rowHeader(const CompareRow& row, int role) const;

  CompareTable table_;
  plots::PlotTheme theme_ = plots::PlotTheme::light();
};

}  // namespace tidemark::ui
