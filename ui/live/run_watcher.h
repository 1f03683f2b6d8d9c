// Reads the database in a thread of its own whenever it changed, and delivers values by signals: the list of runs, and the
// detail of the one run that is wished for. Also carries out the few changes that the workbench makes to the database.
#pragma once

#include <QObject>
#include <QThread>
#include <filesystem>
#include <vector>

#include "ui/live/run_detail.h"

namespace tidemark::ui {

class RunReader;

class RunWatcher : public QObject {
  Q_OBJECT
 public:
  explicit RunWatcher(const std::filesystem::path& database, QObject* parent = nullptr);
  ~RunWatcher() override;

  const std::filesystem::path& database() const { return database_; }
  void wishFor(const RunWish& wish);
  void wishForSweep(const QString& sweepId);  // empty: of none
  void deleteRun(const QString& runId);
  void renameRun(const QString& runId, const QString& name);

 signals:
  void runsRead(const std::vector<tidemark::storage::RunRecord>& runs);  // newest first; lost ones told as such
  void detailRead(const tidemark::ui::RunDetail& detail);
  void sweepsRead(const std::vector<tidemark::storage::SweepRecord>& sweeps);  // newest first; lost ones told as such
  void sweepPointsRead(const QString& sweepId, const std::vector<tidemark::storage::SweepPoint>& points);  // of the one wished for
  void failed(const QString& message);
  void recovered();  // reading works again after failed()

 private:
  std::filesystem::path database_;
  QThread thread_;
  RunReader* reader_;  // lives in thread_
};

}  // namespace tidemark::ui
