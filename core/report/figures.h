// The few figures that sum a run up, derived once for all formats.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/report/report.h"

namespace tidemark::report {

// Empty where the run has not got far enough to know.
struct Figures {
  std::optional<int64_t> remoteBytes;            // gathered per iteration by rank 0, in the last step
  std::optional<int64_t> optimalRemoteBytes;     // the least that any plan gathers, of the last plan
  std::optional<int64_t> predictedRemoteBytes;
  std::optional<int64_t> gatherAlwaysBytes;      // every piece twice an iteration
  std::optional<double> hitRate;                 // 1 - remote / gather-always
  std::optional<double> boundaryHitRate, turnHitRate;  // as planned
  std::optional<int64_t> peakBytes;              // greatest of all ranks and steps known
  std::optional<int64_t> predictedPeakBytes, budgetBytes;
  std::optional<double> tokensPerSecond, predictedTokensPerSecond;
  std::optional<double> secondsPerIteration, predictedSecondsPerIteration;
  std::optional<double> stallFraction;           // of the time of the steps counted
  std::optional<double> firstLoss, lastLoss, lastEvalLoss;
  int64_t steps = 0;
  int64_t stepsCounted = 0;                      // for the rates: without the first, which measures
};

Figures figuresOf(const RunReport& report);

// ("remote_bytes_per_iteration", "1234"): every figure that is known, in a fixed order, for machine-readable formats.
std::vector<std::pair<std::string, double>> namedFigures(const Figures& figures);

}  // namespace tidemark::report
