// The Sweeps page: a form for a new one at the left, the sweeps of the database at the right.
#pragma once

#include <QWidget>

#include "core/sweep/sweep.h"
#include "storage/run_store.h"

namespace tidemark::ui {

class Banner;
class SweepFormCard;
class SweepResultsCard;

class SweepsPage : public QWidget {
  Q_OBJECT
 public:
  explicit SweepsPage(QWidget* parent = nullptr);

  Banner* banner() const { return banner_; }
  SweepFormCard* form() const { return form_; }
  SweepResultsCard* results() const { return results_; }
  void setBase(const run::RunConfig& base);
  void setRuns(const std::vector<storage::RunRecord>& runs);
  void setStarting(bool isStarting);

 signals:
  void startWanted(const tidemark::sweep::Sweep& sweep);
  void baseWanted();

 private:
  Banner* banner_;
  SweepFormCard* form_;
  SweepResultsCard* results_;
};

}  // namespace tidemark::ui
