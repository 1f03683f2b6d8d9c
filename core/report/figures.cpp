#include "core/report/figures.h"

#include <algorithm>
#include <numeric>

namespace tidemark::report {
namespace {

int64_t sumOf(const std::vector<int64_t>& values) { return std::accumulate(values.begin(), values.end(), int64_t{0}); }

int64_t remotePerPass(const RunReport& report) {
  if (!report.plans.empty() && !report.plans.back().pieceRemoteBytes.empty()) {
    return sumOf(report.plans.back().pieceRemoteBytes);
  }
  int64_t sum = 0;
  for (const auto& entry : report.operators) sum += entry.remoteBytes;
  return sum;
}

void addPlan(const RunReport& report, Figures& figures) {
  if (report.plans.empty()) return;
  const auto& plan = report.plans.back();
  figures.optimalRemoteBytes = plan.optimalRemoteBytes;
  figures.predictedRemoteBytes = plan.predictedRemoteBytes;
  figures.predictedPeakBytes = plan.predictedPeakBytes;
  figures.budgetBytes = plan.budgetBytes;
  if (plan.predictedSeconds > 0) figures.predictedSecondsPerIteration = plan.predictedSeconds;
  if (const auto pieces = sumOf(plan.pieceRemoteBytes); pieces > 0) {
    figures.boundaryHitRate = static_cast<double>(sumOf(plan.boundaryBytes)) / static_cast<double>(pieces);
    figures.turnHitRate = static_cast<double>(sumOf(plan.turnBytes)) / static_cast<double>(pieces);
  }
}

void addRates(const RunReport& report, Figures& figures) {
  const auto& steps = report.steps;
  const size_t begin = steps.size() > 1 ? 1 : 0;
  double seconds = 0, stall = 0, tokens = 0;
  int64_t iterations = 0;
  for (size_t i = begin; i < steps.size(); ++i) {
    seconds += steps[i].seconds;
    stall += steps[i].stallSeconds;
    tokens += static_cast<double>(steps[i].tokens);
    iterations += steps[i].iterations;
  }
  figures.stepsCounted = static_cast<int64_t>(steps.size() - begin);
  if (seconds <= 0 || iterations <= 0) return;
  figures.tokensPerSecond = tokens / seconds;
  figures.stallFraction = stall / seconds;
  figures.secondsPerIteration = seconds / static_cast<double>(iterations);
  if (figures.predictedSecondsPerIteration) {
    figures.predictedTokensPerSecond = tokens / static_cast<double>(iterations) / *figures.predictedSecondsPerIteration;
  }
}

void addPeak(const RunReport& report, Figures& figures) {
  int64_t peak = 0;
  for (const auto& step : report.steps) peak = std::max(peak, step.peakBytes);
  for (const auto& [rank, step] : report.lastStepOfRank) peak = std::max(peak, step.peakBytes);
  if (peak > 0) figures.peakBytes = peak;
}

}  // namespace

Figures figuresOf(const RunReport& report) {
  Figures figures;
  figures.steps = static_cast<int64_t>(report.steps.size());
  addPlan(report, figures);
  addRates(report, figures);
  addPeak(report, figures);
  if (const auto pass = remotePerPass(report); pass > 0) figures.gatherAlwaysBytes = 2 * pass;
  if (!report.steps.empty()) {
    const auto& last = report.steps.back();
    figures.remoteBytes = last.remoteBytes / std::max<int64_t>(last.iterations, 1);
    figures.firstLoss = report.steps.front().loss;
    figures.lastLoss = last.loss;
  }
  if (figures.remoteBytes && figures.gatherAlwaysBytes) {
    figures.hitRate = 1 - static_cast<double>(*figures.remoteBytes) / static_cast<double>(*figures.gatherAlwaysBytes);
  }
  if (!report.evaluations.empty()) figures.lastEvalLoss = report.evaluations.back().loss;
  return figures;
}

std::vector<std::pair<std::string, double>> namedFigures(const Figures& figures) {
  std::vector<std::pair<std::string, double>> named;
  const auto add = [&](const char* name, const auto& value) {
    if (value) named.emplace_back(name, static_cast<double>(*value));
  };
  named.emplace_back("steps", static_cast<double>(figures.steps));
  add("remote_bytes_per_iteration", figures.remoteBytes);
  add("optimal_remote_bytes_per_iteration", figures.optimalRemoteBytes);
  add("predicted_remote_bytes_per_iteration", figures.predictedRemoteBytes);
  add("gather_always_bytes_per_iteration", figures.gatherAlwaysBytes);
  add("hit_rate", figures.hitRate);
  add("peak_bytes", figures.peakBytes);
  add("predicted_peak_bytes", figures.predictedPeakBytes);
  add("budget_bytes", figures.budgetBytes);
  add("tokens_per_second", figures.tokensPerSecond);
  add("predicted_tokens_per_second", figures.predictedTokensPerSecond);
  add("seconds_per_iteration", figures.secondsPerIteration);
  add("predicted_seconds_per_iteration", figures.predictedSecondsPerIteration);
  add("stall_fraction", figures.stallFraction);
  add("first_loss", figures.firstLoss);
  add("last_loss", figures.lastLoss);
  add("last_eval_loss", figures.lastEvalLoss);
  return named;
}

}  // namespace tidemark::report
