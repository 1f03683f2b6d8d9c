#include "ui/compare/compare_series.h"

#include <QCoreApplication>
#include <algorithm>
#include <cmath>

#include "ui/compare/parallel_series.h"

namespace tidemark::ui {
namespace {

using plots::Measure;

QString tr(const char* text) { return QCoreApplication::translate("tidemark::ui::CompareSeries", text); }

double stepValue(const run::StepEvent& step, CurveOf what) {
  switch (what) {
    case CurveOf::Loss:
    case CurveOf::EvaluationLoss: return step.loss;
    case CurveOf::TokensPerSecond: return step.seconds > 0 ? static_cast<double>(step.tokens) / step.seconds : std::nan("");
    case CurveOf::LearningRate: return step.learningRate;
    case CurveOf::PeakMemory: return static_cast<double>(step.peakBytes);
    case CurveOf::RemoteBytes: return static_cast<double>(step.remoteBytes) / static_cast<double>(std::max<int64_t>(1, step.iterations));
  }
  return 0;
}

// Where each step ends on the x axis.
std::vector<double> endsOf(const std::vector<run::StepEvent>& steps, CurveOver over) {
  std::vector<double> ends;
  double sum = 0;
  for (const run::StepEvent& step : steps) {
    sum += over == CurveOver::Tokens ? static_cast<double>(step.tokens) : step.seconds;
    ends.push_back(over == CurveOver::Steps ? static_cast<double>(step.step) : sum);
  }
  return ends;
}

// The end of the last step that an evaluation followed; the beginning where it came before all.
double placeOf(const run::EvalEvent& evaluation, const std::vector<run::StepEvent>& steps, const std::vector<double>& ends) {
  const auto after = std::upper_bound(steps.begin(), steps.end(), evaluation.step,
                                      [](int64_t wanted, const run::StepEvent& step) { return wanted < step.step; });
  return after == steps.begin() ? 0 : ends[static_cast<std::size_t>(after - steps.begin()) - 1];
}

plots::Curve curveOf(const ComparedRun& run, CurveOf what, CurveOver over) {
  const std::vector<double> ends = endsOf(run.steps, over);
  plots::Curve curve;
  if (what == CurveOf::EvaluationLoss) {
    for (const run::EvalEvent& evaluation : run.evaluations) curve.push_back({placeOf(evaluation, run.steps, ends), evaluation.loss});
    return curve;
  }
  for (std::size_t i = 0; i < run.steps.size(); ++i) curve.push_back({ends[i], stepValue(run.steps[i], what)});
  return curve;
}

QString labelOf(CurveOf what) {
  switch (what) {
    case CurveOf::Loss: return tr("loss");
    case CurveOf::EvaluationLoss: return tr("evaluation loss");
    case CurveOf::TokensPerSecond: return tr("tokens/s");
    case CurveOf::LearningRate: return tr("learning rate");
    case CurveOf::PeakMemory: return tr("peak memory of rank 0");
    case CurveOf::RemoteBytes: return tr("remote per iteration of rank 0");
  }
  return {};
}

QString labelOf(CurveOver over) {
  switch (over) {
    case CurveOver::Steps: return tr("step");
    case CurveOver::Tokens: return tr("tokens");
    case CurveOver::Time: return tr("training time");
  }
  return {};
}

}  // namespace

plots::OverlaySeries curvesOf(const ComparedRuns& runs, const std::vector<int>& marks, CurveOf what, CurveOver over) {
  plots::OverlaySeries series;
  series.xLabel = labelOf(over);
  series.yLabel = labelOf(what);
  series.xMeasure = over == CurveOver::Time ? Measure::Seconds : Measure::Whole;
  series.yMeasure = what == CurveOf::PeakMemory || what == CurveOf::RemoteBytes ? Measure::Bytes : Measure::Number;
  series.style = what == CurveOf::EvaluationLoss ? plots::OverlaySeries::Style::Points : plots::OverlaySeries::Style::Line;
  series.beginsAtZero = what != CurveOf::Loss && what != CurveOf::EvaluationLoss;
  for (std::size_t i = 0; i < runs.size(); ++i) series.curves.push_back({runs[i]->record.name, marks[i], curveOf(*runs[i], what, over)});
  return series;
}

plots::OverlaySeries activationsOf(const ComparedRuns& runs, const std::vector<int>& marks) {
  plots::OverlaySeries series;
  series.xLabel = tr("operator");
  series.yLabel = tr("activation");
  series.yMeasure = Measure::Bytes;
  series.style = plots::OverlaySeries::Style::Stairs;
  series.beginsAtZero = true;
  bool sharesNames = true;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    plots::OverlayCurve curve{runs[i]->record.name, marks[i], {}};
    for (const run::OperatorEvent& op : runs[i]->operators) {
      const auto index = static_cast<std::size_t>(op.index);
      if (series.xNames.size() <= index) series.xNames.resize(index + 1);
      if (series.xNames[index].empty()) series.xNames[index] = op.name;
      sharesNames = sharesNames && series.xNames[index] == op.name;
      curve.points.push_back({static_cast<double>(op.index), static_cast<double>(op.activationBytes)});
    }
    series.curves.push_back(std::move(curve));
  }
  if (!sharesNames) series.xNames.clear();  // models of other shapes: a place has no one name
  return series;
}

std::vector<plots::PeakBar> peaksOf(const ComparedRuns& runs, const std::vector<int>& marks) {
  std::vector<plots::PeakBar> bars;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const ComparedRun& run = *runs[i];
    plots::PeakBar bar{.name = run.record.name, .mark = marks[i], .isMeasured = run.fullest.has_value(), .budget = static_cast<double>(run.budgetBytes)};
    if (run.fullest) {
      bar.trainable = static_cast<double>(run.fullest->trainable);
      bar.staticCache = static_cast<double>(run.fullest->staticCache);
      bar.dynamicCache = static_cast<double>(run.fullest->dynamicCache);
      bar.activation = static_cast<double>(run.fullest->activation);
      bar.workspace = static_cast<double>(run.fullest->workspace);
    }
    bars.push_back(std::move(bar));
  }
  return bars;
}

plots::ScatterSeries scatterOf(const ComparedRuns& runs, const std::vector<int>& marks, const std::string& setting, const ResultKind& result) {
  plots::ScatterSeries series;
  std::vector<std::optional<std::string>> values;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const auto across = settingOf(*runs[i], setting);
    const auto up = result.value(*runs[i]);
    if (!across || !up || !std::isfinite(*up)) continue;
    values.push_back(across);
    series.points.push_back({runs[i]->record.name, marks[i], 0, *up});
  }
  series.xLabel = QString::fromStdString(setting);
  series.yLabel = result.name;
  series.yMeasure = result.measure;
  const PlacedValues across = placed(setting, values);
  for (std::size_t i = 0; i < series.points.size(); ++i) series.points[i].x = across.values[i].value_or(0);
  series.words = across.words;
  series.isLogarithmic = across.isLogarithmic;
  series.xMeasure = across.measure;
  return series;
}

}  // namespace tidemark::ui
