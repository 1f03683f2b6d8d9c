#include "core/sweep/objective.h"

#include <algorithm>

namespace tidemark::sweep {
namespace {

constexpr size_t kWindow = 10;  // steps that one figure is taken over: a single step's loss and speed are noise

double meanLoss(const std::vector<run::StepEvent>& steps) {
  double sum = 0;
  for (const run::StepEvent& step : steps) sum += step.loss;
  return sum / static_cast<double>(steps.size());
}

double speedOf(const std::vector<run::StepEvent>& steps) {
  double tokens = 0, seconds = 0;
  for (const run::StepEvent& step : steps) {
    if (step.step == 1 && steps.size() > 1) continue;  // it measures, and gathers everything
    tokens += static_cast<double>(step.tokens);
    seconds += step.seconds;
  }
  return seconds > 0 ? tokens / seconds : 0;
}

}  // namespace

// A step that comes again is trained again after a resume.
void Reporter::forgetFrom(int64_t step) {
  std::erase_if(window_, [step](const run::StepEvent& known) { return known.step >= step; });
  std::erase_if(reports_, [step](const Report& known) { return known.step >= step; });
}

void Reporter::add(int64_t step, double value) {
  if (!reports_.empty() && reports_.back().step >= step) std::erase_if(reports_, [step](const Report& known) { return known.step >= step; });
  reports_.push_back({step, value});
}

void Reporter::take(const run::Event& event) {
  if (event.rank > 0) return;
  if (const auto* eval = std::get_if<run::EvalEvent>(&event.body)) {
    if (objective_ == Objective::EvalLoss && eval->step > 0) add(eval->step, eval->loss);
    return;
  }
  const auto* step = std::get_if<run::StepEvent>(&event.body);
  if (!step) return;
  if (step->step <= step_) forgetFrom(step->step);
  step_ = step->step;
  if (objective_ == Objective::EvalLoss) return;
  window_.push_back(*step);
  if (window_.size() > kWindow) window_.erase(window_.begin());
  add(step->step, objective_ == Objective::Loss ? meanLoss(window_) : speedOf(window_));
}

std::optional<double> Reporter::value() const {
  return reports_.empty() ? std::nullopt : std::optional(reports_.back().value);
}

}  // namespace tidemark::sweep
