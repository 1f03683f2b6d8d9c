// All runs in a table that can be searched and sorted, with what can be done with each. Not responsible for doing it.
#pragma once

#include <QWidget>
#include <vector>

#include "storage/run_store.h"

class QLineEdit;
class QMenu;
class QPushButton;
class QSortFilterProxyModel;
class QStackedLayout;
class QTableView;

namespace tidemark::ui {

class Banner;
class Card;
class RunListModel;

class RunsPage : public QWidget {
  Q_OBJECT
 public:
  explicit RunsPage(QWidget* parent = nullptr);

  void setRuns(const std::vector<storage::RunRecord>& runs);
  Banner* banner() const { return banner_; }

 signals:
  void openWanted(const QString& runId);
  void newRunWanted();
  void stopWanted(const tidemark::storage::RunRecord& run);
  void resumeWanted(const tidemark::storage::RunRecord& run);
  void reportWanted(const tidemark::storage::RunRecord& run);
  void copyWanted(const tidemark::storage::RunRecord& run);  // a new run with the same settings
  void deleteWanted(const tidemark::storage::RunRecord& run);
  void compareWanted(const QStringList& runIds);  // two or more, in the order of the table

 private:
  QWidget* makeHeader();
  QWidget* makeEmptyState();
  void makeTable();
  void showEmptyState();
  const storage::RunRecord* selected() const;  // the one that the keyboard is on
  QStringList selectedIds() const;
  void showSelection();
  void compareSelected();
  void showMenu(const QPoint& position);
  void fillMenu(QMenu& menu, const storage::RunRecord& run);

  Banner* banner_;
  QLineEdit* search_;
  QPushButton* compare_;
  RunListModel* model_;
  QSortFilterProxyModel* proxy_;
  QTableView* table_;
  Card* card_;
  QStackedLayout* stack_;
  QWidget* noMatch_;
};

}  // namespace tidemark::ui
