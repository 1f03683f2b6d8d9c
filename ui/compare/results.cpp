#include "ui/compare/results.h"

#include <QCoreApplication>
#include <algorithm>
#include <cmath>
#include <numeric>

namespace tidemark::ui {
namespace {

using plots::Measure;
using Value = std::optional<double>;

QString tr(const char* text) { return QCoreApplication::translate("tidemark::ui::Results", text); }

// The least or the last of the finite losses.
template <typename Event>
Value leastLoss(const std::vector<Event>& events) {
  Value least;
  for (const Event& event : events) {
    if (std::isfinite(event.loss) && (!least || event.loss < *least)) least = event.loss;
  }
  return least;
}

template <typename Event>
Value lastLoss(const std::vector<Event>& events) {
  return events.empty() ? Value() : Value(events.back().loss);
}

Value asReal(const std::optional<int64_t>& value) { return value ? Value(static_cast<double>(*value)) : Value(); }

Value trainingSeconds(const ComparedRun& run) {
  if (run.steps.empty()) return {};
  return std::accumulate(run.steps.begin(), run.steps.end(), 0.0, [](double sum, const run::StepEvent& step) { return sum + step.seconds; });
}

std::vector<ResultKind> lossKinds() {
  return {{QStringLiteral("loss_best"), tr("loss, best"), tr("Least mean loss per target token of any step, in nats"), Measure::Number,
           Better::Lower, Rests::OnTrainingLoss, [](const ComparedRun& run) { return leastLoss(run.steps); }},
          {QStringLiteral("loss_last"), tr("loss, last"), tr("Mean loss per target token of the last step, in nats"), Measure::Number,
           Better::Lower, Rests::OnTrainingLoss, [](const ComparedRun& run) { return lastLoss(run.steps); }},
          {QStringLiteral("eval_loss_best"), tr("evaluation loss, best"), tr("Least loss per target token of any evaluation, in nats"),
           Measure::Number, Better::Lower, Rests::OnEvaluationLoss, [](const ComparedRun& run) { return leastLoss(run.evaluations); }},
          {QStringLiteral("eval_loss_last"), tr("evaluation loss, last"), tr("Loss per target token of the last evaluation, in nats"),
           Measure::Number, Better::Lower, Rests::OnEvaluationLoss, [](const ComparedRun& run) { return lastLoss(run.evaluations); }}};
}

std::vector<ResultKind> costKinds() {
  return {{QStringLiteral("tokens_per_second"), tr("tokens per second"), tr("Over all ranks and the last ten steps; the first step, which measures, is left out"),
           Measure::Number, Better::Higher, Rests::OnNoLoss, [](const ComparedRun& run) { return run.record.tokensPerSecond; }},
          {QStringLiteral("peak_memory_bytes"), tr("peak memory"), tr("Greatest memory of any rank in any step, in bytes"), Measure::Bytes,
           Better::Lower, Rests::OnNoLoss, [](const ComparedRun& run) { return asReal(run.record.peakBytes); }},
          {QStringLiteral("remote_bytes_per_iteration"), tr("remote per iteration"),
           tr("Bytes of other ranks' weights that rank 0 gathered in one iteration of the last step"), Measure::Bytes, Better::Lower,
           Rests::OnNoLoss, [](const ComparedRun& run) { return asReal(run.record.remoteBytesPerIteration); }},
          {QStringLiteral("steps"), tr("steps"), tr("Optimizer steps done"), Measure::Whole, Better::Neither, Rests::OnNoLoss,
           [](const ComparedRun& run) { return Value(static_cast<double>(run.record.step)); }},
          {QStringLiteral("training_seconds"), tr("training time"), tr("Sum over the steps, evaluations and checkpoints not counted"),
           Measure::Seconds, Better::Neither, Rests::OnNoLoss, &trainingSeconds}};
}

}  // namespace

const std::vector<ResultKind>& resultKinds() {
  static const std::vector<ResultKind> kinds = [] {
    std::vector<ResultKind> all = lossKinds();
    for (ResultKind& kind : costKinds()) all.push_back(std::move(kind));
    return all;
  }();
  return kinds;
}

std::optional<Spread> spreadOf(const std::vector<double>& values) {
  Spread spread;
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    spread.mean += value;
    ++spread.count;
  }
  if (spread.count < 2) return {};
  spread.mean /= spread.count;
  double squares = 0;
  for (const double value : values) {
    if (std::isfinite(value)) squares += (value - spread.mean) * (value - spread.mean);
  }
  spread.deviation = std::sqrt(squares / (spread.count - 1));
  return spread;
}

}  // namespace tidemark::ui
