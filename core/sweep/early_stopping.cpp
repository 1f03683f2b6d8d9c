#include "core/sweep/early_stopping.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace tidemark::sweep {
namespace {

std::string shown(double value) {
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, "%.5g", value);
  return buffer;
}

// Smaller is better.
double costOf(Objective objective, double value) { return objective == Objective::TokensPerSecond ? -value : value; }
double valueOf(Objective objective, double cost) { return objective == Objective::TokensPerSecond ? -cost : cost; }

// Over what was reported up to `step`; empty where that is nothing.
std::optional<double> runningMean(Objective objective, const Reports& reports, int64_t step) {
  double sum = 0;
  int64_t count = 0;
  for (const Report& report : reports) {
    if (report.step > step) break;
    sum += costOf(objective, report.value);
    ++count;
  }
  if (count == 0 || !std::isfinite(sum)) return std::nullopt;
  return sum / static_cast<double>(count);
}

double medianOf(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

std::string byMedian(const EarlyStopping& rule, Objective objective, const Reports& run, const std::vector<OtherRun>& others) {
  const int64_t step = run.back().step;
  if (step < rule.after) return {};
  std::vector<double> means;
  for (const OtherRun& other : others) {
    if (!other.isComplete) continue;
    if (const auto mean = runningMean(objective, other.reports, step)) means.push_back(*mean);
  }
  if (means.empty() || static_cast<int64_t>(means.size()) < rule.atLeast) return {};
  double best = costOf(objective, run.front().value);
  for (const Report& report : run) best = std::fmin(best, costOf(objective, report.value));
  const double median = medianOf(means);
  if (best <= median) return {};
  return "at step " + std::to_string(step) + " its best " + nameOf(objective) + " of " + shown(valueOf(objective, best)) +
         " is worse than " + shown(valueOf(objective, median)) + ", the median of " + std::to_string(means.size()) + " finished runs";
}

// The rung that the last report has come to, if it is the first to do so.
std::optional<double> rungOf(const EarlyStopping& rule, const Reports& run) {
  const auto now = static_cast<double>(run.back().step);
  const double before = run.size() > 1 ? static_cast<double>(run[run.size() - 2].step) : 0;
  std::optional<double> reached;
  for (double rung = static_cast<double>(std::max<int64_t>(rule.after, 1)); rung <= now; rung *= rule.factor) {
    if (rung > before) reached = rung;
  }
  return reached;
}

std::string byHalving(const EarlyStopping& rule, Objective objective, const Reports& run, const std::vector<OtherRun>& others) {
  const auto rung = rungOf(rule, run);
  if (!rung) return {};
  std::vector<double> costs;
  for (const OtherRun& other : others) {
    const auto there = std::find_if(other.reports.begin(), other.reports.end(),
                                    [&](const Report& report) { return static_cast<double>(report.step) >= *rung; });
    if (there != other.reports.end() && std::isfinite(there->value)) costs.push_back(costOf(objective, there->value));
  }
  const double own = costOf(objective, run.back().value);
  costs.push_back(own);
  if (static_cast<int64_t>(costs.size()) < rule.atLeast) return {};
  const auto stay = static_cast<size_t>(std::ceil(static_cast<double>(costs.size()) / rule.factor));
  const auto better = static_cast<size_t>(std::count_if(costs.begin(), costs.end(), [own](double cost) { return cost < own; }));
  if (better < stay) return {};
  return "at step " + std::to_string(run.back().step) + " it is number " + std::to_string(better + 1) + " of " +
         std::to_string(costs.size()) + " runs by " + nameOf(objective) + ", with " + shown(run.back().value) +
         "; the best " + std::to_string(stay) + (stay == 1 ? " goes on" : " go on");
}

}  // namespace

std::string reasonToStop(const EarlyStopping& rule, Objective objective, const Reports& run, const std::vector<OtherRun>& others) {
  if (rule.rule == EarlyStopping::Rule::None || run.empty()) return {};
  if (!std::isfinite(run.back().value))
    return "at step " + std::to_string(run.back().step) + " its " + nameOf(objective) + " is no number";
  return rule.rule == EarlyStopping::Rule::Median ? byMedian(rule, objective, run, others) : byHalving(rule, objective, run, others);
}

}  // namespace tidemark::sweep
