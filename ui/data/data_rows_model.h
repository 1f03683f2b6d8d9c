// The rows of a dataset as a table: sorted and filtered by itself, because a proxy model asks for every cell and is too slow
// for a hundred thousand rows.
#pragma once

#include <QAbstractTableModel>
#include <optional>
#include <unordered_set>
#include <vector>

#include "ui/data/data_problem.h"
#include "ui/data/row_facts.h"

namespace tidemark::ui {

// Which rows are shown; everything that is set has to hold.
struct RowFilter {
  std::optional<std::unordered_set<int64_t>> lines;  // those that a search found
  bool wantsProblem = false;                         // any at all
  std::optional<DataProblem> problem;
};

class DataRowsModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column { Line, Form, Tokens, Loss, Use, Start, ColumnCount };
  using QAbstractTableModel::QAbstractTableModel;

  void clear();
  void append(std::vector<RowFacts> rows, text::DatasetFormat format);
  void setLimit(const RowLimit& limit);
  void setFilter(RowFilter filter);

  const std::vector<RowFacts>& rows() const { return rows_; }
  const RowLimit& limit() const { return limit_; }
  const RowFacts& at(int row) const { return rows_[visible_[static_cast<std::size_t>(row)]]; }  // of the rows shown
  int rowOfLine(int64_t line) const;                                                            // -1: not shown
  // The next row shown after `row` that has the problem, around the end; -1: none.
  int nextWith(DataProblem problem, int row) const;

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
  void sort(int column, Qt::SortOrder order) override;

 private:
  bool isShown(const RowFacts& row) const;
  void fillVisible();
  void sortVisible();
  void resort();
  QString cellText(const RowFacts& row, int column) const;
  bool isInFileOrder() const { return sortColumn_ == Line && sortOrder_ == Qt::AscendingOrder; }

  std::vector<RowFacts> rows_;
  std::vector<uint32_t> visible_;  // indices into rows_
  text::DatasetFormat format_ = text::DatasetFormat::Auto;
  RowLimit limit_;
  RowFilter filter_;
  int sortColumn_ = Line;
  Qt::SortOrder sortOrder_ = Qt::AscendingOrder;
};

}  // namespace tidemark::ui
