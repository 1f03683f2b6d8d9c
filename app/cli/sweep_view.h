// What is seen of a sweep: a table that is redrawn on a terminal, a line for each run elsewhere, or an object per line.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "app/cli/output.h"
#include "core/sweep/sweep.h"
#include "storage/sweep_record.h"

namespace tidemark::cli {

// Header and one row for each point: number, values, state, step, objective, run. The best is called so.
std::vector<std::vector<std::string>> sweepRows(const std::vector<storage::SweepPoint>& points, const sweep::Sweep& sweep);

class SweepView {
 public:
  SweepView(std::string id, sweep::Sweep sweep, Output output);

  void begin(const std::vector<storage::SweepPoint>& points);
  void show(const std::vector<storage::SweepPoint>& points);  // at most about twice a second
  void tellEnd(const storage::SweepPoint& point);
  void note(const std::string& text);
  void addSeconds(double seconds);  // that a run took
  void finish(const std::vector<storage::SweepPoint>& points, bool isOver);

 private:
  void draw(const std::vector<storage::SweepPoint>& points);
  void clear();
  std::string summary(const std::vector<storage::SweepPoint>& points) const;
  std::string jsonOf(const storage::SweepPoint& point) const;

  std::string id_;
  sweep::Sweep sweep_;
  Output output_;
  bool isRedrawn_;
  size_t drawnLines_ = 0;
  double secondsSpent_ = 0;
  int64_t runsSpent_ = 0;
  std::chrono::steady_clock::time_point lastDrawn_{};
  std::vector<std::string> told_;  // Json: each point as it was last told
};

}  // namespace tidemark::cli
