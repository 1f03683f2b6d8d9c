// Carries a sweep out: starts its runs, at most so many at once, judges them while they go, and keeps the database's account.
#pragma once

#include <chrono>
#include <filesystem>
#include <list>
#include <string>
#include <vector>

#include "app/cli/sweep_run.h"
#include "app/cli/sweep_view.h"
#include "core/launch/signals.h"
#include "core/run/exit_code.h"
#include "core/sweep/early_stopping.h"
#include "core/sweep/points.h"
#include "storage/run_store.h"

namespace tidemark::cli {

struct SweepTask {
  std::string id;
  sweep::Sweep sweep;
  std::vector<storage::SweepPoint> points;
  std::filesystem::path cli, database, folder;  // folder: of the runs' configurations and logs
};

class SweepDriver {
 public:
  SweepDriver(SweepTask task, storage::RunStore& store, SweepView& view);

  // Until no point is waiting, or somebody asks to stop: SIGINT, SIGTERM and SIGHUP stop the runs with a checkpoint, a second
  // one at once. Done: at least one point has completed.
  Result<run::ExitCode> run();

 private:
  struct Known {  // what a run of this sweep has reported, for judging the others
    sweep::Reports reports;
    bool isComplete = false;
  };
  Status readKnown();
  void startWaiting(const launch::AgentSignals& signals);
  Result<SweepRun> start(const storage::SweepPoint& point, const launch::AgentSignals& signals) const;
  Result<std::vector<std::string>> argumentsFor(const storage::SweepPoint& point) const;
  void waitForNews(const launch::AgentSignals& signals) const;
  void takeSignals(launch::AgentSignals& signals);
  void readRuns();
  void judge(SweepRun& run);
  void reapRuns();
  void keep(const storage::SweepPoint& point);
  void tellFinish(const storage::SweepPoint& point);
  run::ExitCode finish();

  SweepTask task_;
  storage::RunStore& store_;
  SweepView& view_;
  std::list<SweepRun> running_;
  std::vector<Known> known_;  // by point
  size_t next_ = 0;           // the next point to look at
  std::chrono::steady_clock::time_point lastKept_{};
  bool isStopping_ = false, isDatabaseBehind_ = false;
};

}  // namespace tidemark::cli
