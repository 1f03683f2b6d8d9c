// One run of a sweep while it goes: the process of `run` or `resume`, and what its events have told. Decides nothing.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>

#include "core/launch/worker_process.h"
#include "core/sweep/objective.h"
#include "core/sweep/sweep.h"
#include "storage/sweep_record.h"

namespace tidemark::cli {

class SweepRun {
 public:
  struct Command {
    std::vector<std::string> arguments;  // of tidemark-cli
    std::filesystem::path program, log;
    sigset_t signalMask{};
  };
  static Result<SweepRun> start(const Command& command, const storage::SweepPoint& point, sweep::Reporter reporter);

  const storage::SweepPoint& point() const { return point_; }
  const sweep::Reports& reports() const { return reporter_.reports(); }
  int handle() const { return process_.eventHandle(); }
  bool read();  // what has arrived; whether the objective has a new report
  void stop();  // with a checkpoint; a second time: at once
  // Stops it, and remembers why.
  void stopEarly(const std::string& reason);
  bool isStopping() const { return isStopping_; }
  // How it ended; empty: it has not.
  std::optional<storage::SweepPoint> ended();
  double seconds() const;  // since the start

 private:
  SweepRun(launch::WorkerProcess process, storage::SweepPoint point, sweep::Reporter reporter, std::filesystem::path log);
  void take(const std::string& line);
  void judgeEnd(int waitStatus);

  launch::WorkerProcess process_;
  storage::SweepPoint point_;
  sweep::Reporter reporter_;
  std::filesystem::path log_;
  std::string earlyReason_, failure_;
  bool isStopping_ = false;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace tidemark::cli
