// What a person sees of a run while it goes: one line that is redrawn on a terminal, a plain line per step elsewhere.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "core/run/event.h"

namespace tidemark::cli {

class Progress {
 public:
  enum class Style { Redrawn, Plain };
  static Style styleOfStderr();

  Progress(Style style, int64_t maxSteps) : style_(style), maxSteps_(maxSteps) {}

  void take(const std::vector<run::Event>& events);
  void finish();  // the last step's line, if it was not shown

  // "step 12/100  loss 1.2345  231 tokens/s  remote 155 MiB/iteration  peak 1.12 GiB of 1.15 GiB  3 min 20 s left"
  std::string lineFor(const run::StepEvent& step) const;

 private:
  void takeOne(const run::Event& event);
  void show(const run::StepEvent& step);
  void note(const std::string& text);  // a lasting line above the redrawn one

  Style style_;
  int64_t maxSteps_;
  int64_t budgetBytes_ = 0;
  double secondsPerStep_ = 0;  // smoothed
  std::optional<run::StepEvent> unshown_;
  std::chrono::steady_clock::time_point lastShown_{};
  bool hasOpenLine_ = false;
};

}  // namespace tidemark::cli
