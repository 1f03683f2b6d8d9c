// What a run's page says in figures and words, from what was read of it. Pure functions.
#pragma once

#include <QString>
#include <array>

#include "plots/curve_plot.h"
#include "plots/series.h"
#include "ui/live/run_detail.h"
#include "ui/widgets/figure_card.h"

namespace tidemark::ui {

// Remote traffic, cache hits, peak, throughput, stall; of the last step.
std::array<Figure, 5> figuresOf(const RunDetail& detail, const std::vector<run::StepEvent>& steps);

plots::MemorySeries memorySeriesOf(const RunDetail& detail);
std::vector<plots::OperatorBar> operatorBarsOf(const RunDetail& detail);
plots::CurveSeries curvesOf(const std::vector<run::StepEvent>& steps, const std::vector<run::EvalEvent>& evaluations);

QString subtitleOf(const RunDetail& detail);   // "SmolLM2-135M · LoRA r 8 · 2 ranks · elastic"
QString progressOf(const storage::RunRecord& run);  // "412 / 1,000 · 9 min left"

}  // namespace tidemark::ui
