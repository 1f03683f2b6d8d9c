// The table of a dataset's rows, with a field that searches them and a choice of problems. Searching itself is asked for.
#pragma once

#include <optional>
#include <unordered_set>

#include "ui/data/data_problem.h"
#include "ui/widgets/card.h"

class QComboBox;
class QLineEdit;
class QTableView;
class QTimer;

namespace tidemark::ui {

class DataRowsModel;

class RowsCard : public Card {
  Q_OBJECT
 public:
  explicit RowsCard(QWidget* parent = nullptr);

  DataRowsModel* model() const { return model_; }
  QTableView* table() const { return table_; }
  void clear();  // rows and search, not the choice of a problem
  void append(std::vector<RowFacts> rows, text::DatasetFormat format);
  void setLimit(const RowLimit& limit);
  void showCounts(const DataSummary& summary);
  // What the search wished for last found; nothing: all rows.
  void setFound(std::optional<std::unordered_set<int64_t>> lines);
  void setSearching(bool isSearching);
  QString wantedText() const;
  void jumpTo(DataProblem problem);
  int64_t currentLine() const { return currentLine_; }  // 0: none

 signals:
  void searchWanted(const QString& text);  // empty: no search
  void lineChosen(const tidemark::ui::RowFacts& row);

 private:
  QWidget* makeFilters();
  void makeTable();
  void filterRows();
  void keepCurrent();
  void showShown();

  DataRowsModel* model_;
  QTableView* table_;
  QLineEdit* search_;
  QComboBox* problems_;
  QTimer* searchTimer_;
  std::optional<std::unordered_set<int64_t>> found_;
  int64_t currentLine_ = 0;
  bool isSearching_ = false;
};

}  // namespace tidemark::ui
