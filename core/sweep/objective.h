// What a run of a sweep has reached so far, in the sweep's objective, as its events tell it.
#pragma once

#include <optional>
#include <vector>

#include "core/run/event.h"
#include "core/sweep/sweep.h"

namespace tidemark::sweep {

struct Report {
  int64_t step = 0;
  double value = 0;  // may be no number: a loss that has diverged
};
using Reports = std::vector<Report>;  // by step, each step once

class Reporter {
 public:
  explicit Reporter(Objective objective) : objective_(objective) {}

  void take(const run::Event& event);
  const Reports& reports() const { return reports_; }
  std::optional<double> value() const;  // the last report's
  int64_t step() const { return step_; }

 private:
  void add(int64_t step, double value);
  void forgetFrom(int64_t step);

  Objective objective_;
  Reports reports_;
  std::vector<run::StepEvent> window_;  // rank 0's last steps
  int64_t step_ = 0;
};

}  // namespace tidemark::sweep
