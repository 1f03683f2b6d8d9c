// What the comparison's plots draw, from the runs that were read. Pure functions.
#pragma once

#include <vector>

#include "plots/overlay_plot.h"
#include "plots/peak_bar_plot.h"
#include "plots/scatter_plot.h"
#include "ui/compare/results.h"

namespace tidemark::ui {

enum class CurveOf { Loss, EvaluationLoss, TokensPerSecond, LearningRate, PeakMemory, RemoteBytes };
enum class CurveOver { Steps, Tokens, Time };  // tokens and seconds since the beginning of the run

// `marks`: one for each run, see plots/run_mark.h.
plots::OverlaySeries curvesOf(const ComparedRuns& runs, const std::vector<int>& marks, CurveOf what, CurveOver over);
plots::OverlaySeries activationsOf(const ComparedRuns& runs, const std::vector<int>& marks);
std::vector<plots::PeakBar> peaksOf(const ComparedRuns& runs, const std::vector<int>& marks);
// One point for each run that has both the setting and the result.
plots::ScatterSeries scatterOf(const ComparedRuns& runs, const std::vector<int>& marks, const std::string& setting, const ResultKind& result);

}  // namespace tidemark::ui
