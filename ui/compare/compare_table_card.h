// The differences-only table of settings and results, with a switch for all settings and copying for spreadsheets.
#pragma once

#include "ui/compare/compare_rows.h"
#include "ui/widgets/card.h"

class QCheckBox;
class QTableView;

namespace tidemark::plots {
struct PlotTheme;
}

namespace tidemark::ui {

class CompareTableModel;

class CompareTableCard : public Card {
  Q_OBJECT
 public:
  explicit CompareTableCard(QWidget* parent = nullptr);

  void show(const Comparison& comparison, const std::vector<int>& marks);
  void setTheme(const plots::PlotTheme& theme);

 protected:
  void resizeEvent(QResizeEvent* event) override;

 signals:
  void openWanted(const QString& runId);
  void removeWanted(const QString& runId);

 private:
  void makeTable();
  void makeTools();
  void showTable();
  void layOutColumns();
  void showColumnMenu(const QPoint& position);
  void copy(TableFormat format, const std::vector<int>& rows);
  void copySelection();

  Comparison comparison_;
  std::vector<int> marks_;
  CompareTableModel* model_;
  QTableView* table_;
  QCheckBox* all_;
  bool isLayingOut_ = false;
  bool hasOwnWidths_ = false;  // a person has drawn a column wider or narrower
};

}  // namespace tidemark::ui
