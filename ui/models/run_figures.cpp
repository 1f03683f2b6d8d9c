#include "ui/models/run_figures.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <algorithm>
#include <numeric>

#include "plots/quantity.h"
#include "ui/models/run_status.h"

namespace tidemark::ui {
namespace {

using plots::bytesText;
using plots::decimalText;

const QString kNone = QStringLiteral("–");

QString tr(const char* text) { return QCoreApplication::translate("tidemark::ui::RunFigures", text); }

QString percent(double share) { return tr("%1 %").arg(decimalText(share * 100, share < 0.1 ? 2 : 3)); }

QString wholePercent(double share) { return tr("%1 %").arg(qRound(share * 100)); }

double sum(const std::vector<int64_t>& values) {
  return static_cast<double>(std::accumulate(values.begin(), values.end(), int64_t{0}));
}

// All remote bytes, W' in the method: gathering always moves twice as much in an iteration.
double remoteBytesOf(const RunDetail& detail) {
  double total = 0;
  for (const run::OperatorEvent& op : detail.operators) total += static_cast<double>(op.remoteBytes);
  return total;
}

double remotePerIteration(const run::StepEvent& step) {
  return static_cast<double>(step.remoteBytes) / static_cast<double>(std::max<int64_t>(1, step.iterations));
}

Figure remoteFigure(const RunDetail& detail, const run::StepEvent* step) {
  Figure figure{tr("Remote per iteration"), kNone, {},
                tr("Bytes of other ranks' weights that this rank gathered in one iteration")};
  // One unit for all three, so that the note needs to name none.
  const double always = 2 * remoteBytesOf(detail);
  const plots::ByteUnit unit = plots::byteUnitFor(step && remotePerIteration(*step) > 0 ? remotePerIteration(*step) : always);
  const auto number = [&](double bytes) { return plots::numberIn(unit, bytes); };
  if (step && remotePerIteration(*step) == 0) figure.value = bytesText(0);
  else if (step) figure.value = tr("%1 %2").arg(number(remotePerIteration(*step)), unit.name);
  QStringList notes;
  if (!detail.plans.empty()) notes << tr("optimum %1").arg(number(static_cast<double>(detail.plans.back().optimalRemoteBytes)));
  if (!detail.operators.empty()) notes << tr("gather-always %1").arg(number(always));
  figure.note = notes.join(QStringLiteral(" · "));
  return figure;
}

Figure hitFigure(const RunDetail& detail, const run::StepEvent* step) {
  Figure figure{tr("Cache hits"), kNone, {}, tr("Share of the remote bytes used that did not have to be gathered, in percent")};
  const double all = remoteBytesOf(detail);
  if (detail.operators.empty()) return figure;
  if (all == 0) {
    figure.note = tr("nothing is remote");
    return figure;
  }
  if (step) figure.value = wholePercent(std::clamp(1 - remotePerIteration(*step) / (2 * all), 0.0, 1.0));
  if (!detail.plans.empty()) {
    const run::PlanEvent& plan = detail.plans.back();
    figure.note = tr("boundary %1 · turn %2").arg(wholePercent(sum(plan.boundaryBytes) / all),
                                                  wholePercent(sum(plan.turnBytes) / all));
  }
  return figure;
}

Figure peakFigure(const RunDetail& detail, const run::StepEvent* step) {
  Figure figure{tr("Peak"), kNone, {}, tr("Greatest memory of this rank in the step, of its budget, in bytes")};
  const double budget = !detail.plans.empty() ? static_cast<double>(detail.plans.back().budgetBytes)
                                              : static_cast<double>(detail.record.budgetBytes.value_or(0));
  if (step) {
    const double peak = static_cast<double>(step->peakBytes);
    figure.value = bytesText(peak);
    if (budget > 0) {
      const plots::ByteUnit unit = plots::byteUnitFor(std::max(peak, budget));
      figure.value = tr("%1 of %2 %3").arg(plots::numberIn(unit, peak), plots::numberIn(unit, budget), unit.name);
    }
  }
  if (!detail.plans.empty()) {
    figure.note = tr("predicted %1").arg(bytesText(static_cast<double>(detail.plans.back().predictedPeakBytes)));
  }
  return figure;
}

Figure throughputFigure(const RunDetail& detail, const run::StepEvent* step) {
  Figure figure{tr("Throughput"), kNone, {}, tr("Tokens per second over all ranks in the last step")};
  if (!step || step->seconds <= 0) return figure;
  const double tokens = static_cast<double>(step->tokens);
  figure.value = tr("%1 tok/s").arg(decimalText(tokens / step->seconds, 3));
  if (!detail.plans.empty() && detail.plans.back().predictedSeconds > 0) {
    const double seconds = detail.plans.back().predictedSeconds * static_cast<double>(std::max<int64_t>(1, step->iterations));
    figure.note = tr("predicted %1").arg(decimalText(tokens / seconds, 3));
  }
  return figure;
}

Figure stallFigure(const run::StepEvent* step) {
  Figure figure{tr("Stall"), kNone, tr("of the step"), tr("Time in which this rank waited for weights, in percent of the step")};
  if (step && step->seconds > 0) figure.value = percent(step->stallSeconds / step->seconds);
  return figure;
}

}  // namespace

std::array<Figure, 5> figuresOf(const RunDetail& detail, const std::vector<run::StepEvent>& steps) {
  const run::StepEvent* last = steps.empty() ? nullptr : &steps.back();
  return {remoteFigure(detail, last), hitFigure(detail, last), peakFigure(detail, last), throughputFigure(detail, last),
          stallFigure(last)};
}

plots::MemorySeries memorySeriesOf(const RunDetail& detail) {
  plots::MemorySeries series;
  if (!detail.timeline) return series;
  series.budget = static_cast<double>(detail.timeline->budgetBytes);
  for (const run::MemoryPoint& point : detail.timeline->points) {
    const auto op = std::find_if(detail.operators.begin(), detail.operators.end(),
                                 [&](const run::OperatorEvent& o) { return o.index == point.operatorIndex; });
    series.moments.push_back({.operatorName = op == detail.operators.end() ? std::string() : op->name,
                              .operatorIndex = static_cast<int>(point.operatorIndex),
                              .isForward = point.isForward,
                              .activation = static_cast<double>(point.activation),
                              .dynamicCache = static_cast<double>(point.dynamicCache),
                              .staticCache = static_cast<double>(point.staticCache),
                              .trainable = static_cast<double>(point.trainable),
                              .workspace = static_cast<double>(point.workspace),
                              .resize = static_cast<double>(point.resize),
                              .reason = point.reason});
  }
  return series;
}

std::vector<plots::OperatorBar> operatorBarsOf(const RunDetail& detail) {
  std::vector<plots::OperatorBar> bars;
  for (const run::OperatorEvent& op : detail.operators) {
    bars.push_back({op.name, static_cast<double>(op.activationBytes), op.isSaved});
  }
  return bars;
}

plots::CurveSeries curvesOf(const std::vector<run::StepEvent>& steps, const std::vector<run::EvalEvent>& evaluations) {
  plots::CurveSeries series;
  for (const run::StepEvent& step : steps) {
    const double x = static_cast<double>(step.step);
    series.loss.push_back({x, step.loss});
    if (step.seconds > 0) series.throughput.push_back({x, static_cast<double>(step.tokens) / step.seconds});
  }
  for (const run::EvalEvent& evaluation : evaluations) {
    series.evaluationLoss.push_back({static_cast<double>(evaluation.step), evaluation.loss});
  }
  return series;
}

QString subtitleOf(const RunDetail& detail) {
  QStringList parts;
  if (detail.model && !detail.model->name.empty()) parts << QString::fromStdString(detail.model->name);
  else parts << QFileInfo(QString::fromStdString(detail.record.model)).fileName();
  if (detail.record.trainableParameters > 0) {
    parts << tr("%1 trainable").arg(plots::countText(static_cast<double>(detail.record.trainableParameters)));
  }
  parts << (detail.record.ranks == 1 ? tr("1 rank") : tr("%1 ranks").arg(detail.record.ranks));
  if (!detail.record.policy.empty()) parts << QString::fromStdString(detail.record.policy);
  return parts.join(QStringLiteral(" · "));
}

QString progressOf(const storage::RunRecord& run) {
  QString text = tr("%1 / %2").arg(plots::countText(static_cast<double>(run.step)), plots::countText(static_cast<double>(run.maxSteps)));
  if (isActive(run.status) && run.secondsPerStep) {
    const double left = static_cast<double>(std::max<int64_t>(0, run.maxSteps - run.step)) * *run.secondsPerStep;
    text += QStringLiteral(" · ") + tr("%1 left").arg(plots::durationText(left));
  } else {
    text += QStringLiteral(" · ") + statusWord(run.status);
  }
  return text;
}

}  // namespace tidemark::ui
