#include "ui/new_run/fit_card.h"

#include <QGridLayout>
#include <QLabel>
#include <QLocale>
#include <QToolButton>
#include <QVBoxLayout>

#include "core/run/config.h"
#include "plots/plot_theme.h"
#include "plots/quantity.h"
#include "ui/new_run/fit_bar.h"
#include "ui/widgets/field_editor.h"

namespace tidemark::ui {
namespace {

constexpr size_t kMostAlternatives = 4;
constexpr int kLegendColumns = 3;

QString number(double value) { return QLocale().toString(value, 'f', value < 100 ? 1 : 0); }

void clear(QGridLayout* grid) {
  while (QLayoutItem* item = grid->takeAt(0)) {
    delete item->widget();
    delete item;
  }
}

QWidget* makeLegendEntry(plots::Space space, const QString& name, double bytes) {
  auto* entry = new QWidget;
  auto* layout = new QHBoxLayout(entry);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(6);
  auto* swatch = new QLabel;
  swatch->setFixedSize(10, 10);
  swatch->setStyleSheet(QStringLiteral("background:%1;border-radius:2px").arg(plots::spaceColor(space).name()));
  layout->addWidget(swatch);
  layout->addWidget(makeLabel(name + QLatin1Char(' ') + plots::bytesText(bytes), "muted"));
  layout->addStretch(1);
  return entry;
}

}  // namespace

QString changeText(const QString& key, const QString& value) {
  for (const run::KeyInfo& info : run::configKeys())
    if (QString::fromStdString(info.key) == key) return FitCard::tr("%1: %2").arg(labelOf(info), value);
  return key + QStringLiteral(": ") + value;
}

FitCard::FitCard(QWidget* parent)
    : Card(tr("What fits"), parent), heading_(makeLabel({}, "muted")), bar_(new FitBar), legend_(new QWidget), problem_(makeLabel({}, "body")),
      figures_(new QWidget), grid_(new QGridLayout(figures_)), alternativesTitle_(makeLabel({}, "strong")), alternatives_(new QGridLayout),
      profile_(new QToolButton) {
  auto* legend = new QGridLayout(legend_);
  legend->setContentsMargins(0, 0, 0, 0);
  legend->setVerticalSpacing(2);
  grid_->setContentsMargins(0, 4, 0, 4);
  grid_->setVerticalSpacing(4);
  grid_->setHorizontalSpacing(14);
  grid_->setColumnStretch(2, 1);
  alternatives_->setVerticalSpacing(2);
  alternatives_->setColumnStretch(0, 1);
  problem_->setWordWrap(true);
  problem_->setObjectName(QStringLiteral("fitProblem"));
  profile_->setObjectName(QStringLiteral("profile"));
  profile_->setProperty("framed", true);
  body()->addWidget(heading_);
  body()->addWidget(bar_);
  body()->addWidget(legend_);
  body()->addWidget(problem_);
  body()->addWidget(figures_);
  body()->addWidget(alternativesTitle_);
  body()->addLayout(alternatives_);
  body()->addWidget(profile_, 0, Qt::AlignLeft);
  connect(profile_, &QToolButton::clicked, this, [this] {
    if (progress_ == Progress::Profiling) emit stopWanted();
    else emit profileWanted();
  });
  setCanProfile(false, tr("Model and data have to be chosen first"));
  show(FitView());
}

void FitCard::show(const FitView& view) {
  view_ = view;
  const bool isKnown = view.source != FitView::Source::None && view.problem.isEmpty();
  heading_->setVisible(isKnown);
  bar_->setVisible(isKnown);
  bar_->setView(view);
  const QString budget = plots::bytesText(view.budgetBytes);
  heading_->setText(view.isAutomaticBudget ? tr("Peak per rank; the automatic budget is %1").arg(budget) : tr("Peak per rank, %1 budget").arg(budget));
  QString problem = view.problem;
  if (view.source == FitView::Source::None && problem.isEmpty()) problem = tr("Choose a model and data to see what fits.");
  if (isKnown && !view.fits)
    problem = tr("✕ Does not fit: needs %1 a rank, %2 more than the budget.")
                  .arg(plots::bytesText(view.leastBudgetBytes), plots::bytesText(view.leastBudgetBytes - view.budgetBytes));
  if (isKnown && !view.fits && view.budgetBytes <= 0)
    problem = tr("Needs %1 a rank at least. What the device has is not known here: give a budget, or profile on this machine.")
                  .arg(plots::bytesText(view.leastBudgetBytes));
  problem_->setText(problem);
  problem_->setVisible(!problem.isEmpty());
  showFigures();
  showAlternatives();
  showProgress();
}

void FitCard::addFigure(const QString& name, const QString& value, const QString& remark) {
  const int row = figureCount_++;
  auto* figure = makeLabel(value, "value");
  figure->setAccessibleName(tr("%1: %2").arg(name, value));
  grid_->addWidget(makeLabel(name, "muted"), row, 0);
  grid_->addWidget(figure, row, 1);
  grid_->addWidget(makeLabel(remark, "muted"), row, 2);
}

void FitCard::showFigures() {
  clear(grid_);
  figureCount_ = 0;
  auto* legend = static_cast<QGridLayout*>(legend_->layout());
  clear(legend);
  const bool isShown = view_.source != FitView::Source::None && view_.fits;
  legend_->setVisible(isShown);
  figures_->setVisible(isShown);
  if (!isShown) return;
  const std::tuple<plots::Space, QString, double> parts[] = {{plots::Space::Trainable, tr("trainable"), view_.trainableBytes},
                                                             {plots::Space::Static, tr("static"), view_.staticBytes},
                                                             {plots::Space::Dynamic, tr("dynamic"), view_.dynamicBytes},
                                                             {plots::Space::Activation, tr("activation"), view_.activationBytes},
                                                             {plots::Space::Workspace, tr("workspace"), view_.workspaceBytes}};
  int place = 0;
  for (const auto& [space, name, bytes] : parts) {
    legend->addWidget(makeLegendEntry(space, name, bytes), place / kLegendColumns, place % kLegendColumns);
    ++place;
  }
  addFigure(tr("peak"), plots::bytesText(view_.peakBytes()), view_.peakMoment);
  QStringList remarks;
  if (view_.breadth > 1) remarks << tr("%1 together").arg(view_.breadth);
  if (view_.recomputedOperators > 0) remarks << tr("%1 of %2 operators compute again").arg(view_.recomputedOperators).arg(view_.operators);
  addFigure(tr("micro-batch"), tr("%1 × %2 accumulation").arg(view_.microBatch).arg(view_.accumulate),
            remarks.join(QStringLiteral(" · ")));
  addFigure(tr("remote per iteration"), plots::bytesText(view_.remoteBytes), tr("optimum %1").arg(plots::bytesText(view_.optimalRemoteBytes)));
  if (view_.tokensPerSecond <= 0) {
    addFigure(tr("throughput"), tr("unknown until profiled"), QString());
    return;
  }
  const QString origin = view_.isProfiled               ? tr("profiled here")
                         : !view_.speedFrom.isEmpty()   ? tr("from the run “%1”").arg(fontMetrics().elidedText(view_.speedFrom.simplified(), Qt::ElideRight, 130))
                                                        : tr("computed");
  addFigure(tr("throughput"), tr("%1 tok/s").arg(number(view_.tokensPerSecond)), origin);
  addFigure(tr("time for %1 steps").arg(QLocale().toString(static_cast<qlonglong>(view_.steps))),
            plots::durationText(view_.secondsPerStep * static_cast<double>(view_.steps)), QString());
  const QString share = QLocale().toString(100 * view_.waitingShare, 'f', 0);
  addFigure(tr("limited by"), view_.binds == QLatin1String("gathers")      ? tr("waiting for gathers")
                              : view_.binds == QLatin1String("exchanges")  ? tr("exchanges between ranks")
                              : view_.binds == QLatin1String("processors") ? tr("processors, which also gather")
                                                                           : tr("computing"),
            view_.binds == QLatin1String("compute") ? QString() : tr("%1 % of the time").arg(share));
}

void FitCard::showAlternatives() {
  clear(alternatives_);
  const bool isKnown = view_.source != FitView::Source::None && view_.problem.isEmpty();
  alternativesTitle_->setVisible(isKnown && !view_.alternatives.empty());
  alternativesTitle_->setText(view_.fits ? tr("Faster or smaller, and fits too") : tr("Changes with which it fits"));
  if (!isKnown) return;
  for (size_t i = 0; i < std::min(kMostAlternatives, view_.alternatives.size()); ++i) {
    const FitAlternative& change = view_.alternatives[i];
    auto* link = new QToolButton;
    link->setProperty("link", true);
    link->setText(changeText(change.key, change.value));
    link->setAccessibleName(tr("Change %1").arg(link->text()));
    link->setToolTip(tr("Puts this into the form; it can be taken back"));
    connect(link, &QToolButton::clicked, this, [this, change] { emit changeWanted(change.key, change.value); });
    const QString peak = plots::bytesText(change.peakBytes);
    const QString figures = change.tokensPerSecond > 0 ? tr("%1 tok/s · %2").arg(number(change.tokensPerSecond), peak) : peak;
    const int row = static_cast<int>(i);
    alternatives_->addWidget(link, row, 0, Qt::AlignLeft);
    alternatives_->addWidget(makeLabel(figures, "muted"), row, 1, Qt::AlignRight);
  }
}

void FitCard::setProgress(Progress progress) {
  progress_ = progress;
  showProgress();
}

void FitCard::showProgress() {
  QString caption;
  if (progress_ == Progress::Profiling) caption = tr("measuring on this machine…");
  else if (progress_ == Progress::Computing) caption = tr("computing…");
  else if (view_.source == FitView::Source::Profile) caption = tr("from a profile on this machine");
  else if (view_.source == FitView::Source::Formulas) caption = tr("computed, nothing measured");
  setCaption(caption);
  profile_->setText(progress_ == Progress::Profiling ? tr("Stop measuring") : tr("Profile on this machine"));
  profile_->setAccessibleName(profile_->text());
}

void FitCard::setCanProfile(bool can, const QString& reason) {
  profile_->setEnabled(can || progress_ == Progress::Profiling);
  profile_->setToolTip(can ? tr("Runs one iteration for each form of the weights and tells measured speeds: half a minute or more") : reason);
}

}  // namespace tidemark::ui
