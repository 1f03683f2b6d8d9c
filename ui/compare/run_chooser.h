// The panel from which runs are taken into the comparison: the library with a search field.
#pragma once

#include <QFrame>
#include <map>
#include <vector>

#include "storage/run_store.h"

class QLineEdit;
class QSortFilterProxyModel;
class QTableView;

namespace tidemark::plots {
struct PlotTheme;
}

namespace tidemark::ui {

class RunChoiceModel;

class RunChooser : public QFrame {
  Q_OBJECT
 public:
  explicit RunChooser(QWidget* parent = nullptr);

  void setRuns(const std::vector<storage::RunRecord>& runs);
  void setChosen(const std::map<QString, int>& marks);  // mark by run
  void setTheme(const plots::PlotTheme& theme);

 signals:
  void ticked(const QString& runId, bool isChosen);
  void cleared();

 private:
  void makeList();

  QLineEdit* search_;
  RunChoiceModel* model_;
  QSortFilterProxyModel* proxy_;
  QTableView* list_;
};

}  // namespace tidemark::ui
