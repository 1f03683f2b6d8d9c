#include "ui/models/fit_view.h"

namespace tidemark::ui {
namespace {

void takeConfig(const run::RunConfig& config, FitView& view) {
  view.ranks = config.parallel.ranks;
  view.steps = config.training.maxSteps;
  view.isAutomaticBudget = config.memory.budgetBytes == 0;
}

}  // namespace

FitView fitViewOf(const fit::Prediction& p, const std::vector<fit::Neighbour>& neighbours) {
  FitView view;
  view.source = p.isProfiled ? FitView::Source::Profile : FitView::Source::Formulas;
  takeConfig(p.config, view);
  view.problem = QString::fromStdString(p.refusal);
  view.fits = p.fits;
  view.staticBytes = static_cast<double>(p.peak.staticBytes);
  view.dynamicBytes = static_cast<double>(p.peak.dynamicBytes);
  view.activationBytes = static_cast<double>(p.peak.activationBytes);
  view.workspaceBytes = static_cast<double>(p.peak.workspaceBytes);
  view.trainableBytes = static_cast<double>(p.peak.trainableBytes);
  view.budgetBytes = static_cast<double>(p.budgetBytes);
  view.leastBudgetBytes = static_cast<double>(p.leastBudgetBytes);
  view.peakMoment = QString::fromStdString(p.peakMoment);
  view.microBatch = p.microBatch;
  view.accumulate = p.accumulate;
  view.breadth = p.breadth;
  view.recomputedOperators = p.recomputedOperators;
  view.operators = p.operators;
  view.remoteBytes = static_cast<double>(p.remoteBytes);
  view.optimalRemoteBytes = static_cast<double>(p.optimalRemoteBytes);
  view.tokensPerSecond = p.hasSpeed ? p.tokensPerSecond : 0;
  view.secondsPerStep = p.hasSpeed ? p.secondsPerStep : 0;
  view.binds = QString::fromLatin1(fit::bindsName(p.binds));
  view.waitingShare = p.waitingShare;
  view.isProfiled = p.isProfiled;
  for (const fit::Neighbour& n : neighbours)
    view.alternatives.push_back({QString::fromStdString(n.key), QString::fromStdString(n.value),
                                 static_cast<double>(n.prediction.peak.total()), n.prediction.hasSpeed ? n.prediction.tokensPerSecond : 0});
  return view;
}

}  // namespace tidemark::ui
