// One sweep as it stands: its runs in a table that follows the database, with what can be done about it.
#pragma once

#include <QStringList>
#include <optional>

#include "storage/sweep_record.h"
#include "ui/widgets/card.h"

class QComboBox;
class QLabel;
class QPushButton;
class QSortFilterProxyModel;
class QStackedLayout;
class QTableView;

namespace tidemark::ui {

class SweepPointsModel;

class SweepResultsCard : public Card {
  Q_OBJECT
 public:
  explicit SweepResultsCard(QWidget* parent = nullptr);

  void setSweeps(const std::vector<storage::SweepRecord>& sweeps);  // newest first
  void setPoints(const QString& sweepId, const std::vector<storage::SweepPoint>& points);  // of another sweep: ignored
  void choose(const QString& sweepId);
  QString sweepId() const;  // empty: none

 signals:
  void wished(const QString& sweepId);  // its points
  void openWanted(const QString& runId);
  void compareWanted(const QStringList& runIds);
  void stopWanted(const tidemark::storage::SweepRecord& sweep);
  void resumeWanted(const tidemark::storage::SweepRecord& sweep);

 private:
  QWidget* makeTable();
  QWidget* makeButtons();
  const storage::SweepRecord* chosen() const;
  QString selectedRun() const;
  QStringList startedRuns() const;
  void showSweep();
  void showSelection();
  void layOutColumns();

  std::vector<storage::SweepRecord> sweeps_;
  std::vector<storage::SweepPoint> points_;
  QString pointsOf_;  // the sweep whose points these are
  SweepPointsModel* model_;
  QSortFilterProxyModel* proxy_;
  QComboBox* choice_;
  QTableView* table_;
  QStackedLayout* stack_;
  QLabel* summary_;
  QLabel* reason_;
  QPushButton* open_;
  QPushButton* compare_;
  QPushButton* stop_;
  QPushButton* resume_;
};

}  // namespace tidemark::ui
