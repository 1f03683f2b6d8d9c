// The part of RunWatcher that lives in its thread: owns the store and polls it.
#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <filesystem>
#include <memory>

#include "ui/live/run_detail.h"

class QTimer;

namespace tidemark::ui {

class RunReader : public QObject {
  Q_OBJECT
 public:
  explicit RunReader(std::filesystem::path database);
  ~RunReader() override;

  void start();
  void wishFor(const RunWish& wish);
  void wishForSweep(const std::string& sweepId);  // its points; empty: of none
  void deleteRun(const std::string& runId);
  void renameRun(const std::string& runId, const std::string& name);

 signals:
  void runsRead(const std::vector<tidemark::storage::RunRecord>& runs);
  void detailRead(const tidemark::ui::RunDetail& detail);
  void sweepsRead(const std::vector<tidemark::storage::SweepRecord>& sweeps);
  void sweepPointsRead(const QString& sweepId, const std::vector<tidemark::storage::SweepPoint>& points);
  void failed(const QString& message);
  void recovered();

 private:
  void poll();
  void readRuns();
  void readDetail();
  void readSweeps();
  void readSweepPoints();
  void report(const Error& error);

  std::filesystem::path database_;
  std::unique_ptr<storage::RunStore> store_;
  QTimer* timer_ = nullptr;
  QElapsedTimer sinceLivenessCheck_;
  int64_t seen_ = -1;
  RunWish wish_;
  std::string wishedSweep_;
  int64_t lastStep_ = -1;  // of the wished run, sent already; -1: none
  bool hasFailed_ = false;
};

}  // namespace tidemark::ui
