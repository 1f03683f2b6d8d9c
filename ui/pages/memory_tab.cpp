#include "ui/pages/memory_tab.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QSignalBlocker>
#include <QSlider>
#include <QVBoxLayout>
#include <algorithm>

#include "plots/curve_plot.h"
#include "plots/memory_stack_plot.h"
#include "plots/operator_bar_plot.h"
#include "plots/quantity.h"
#include "ui/models/run_figures.h"
#include "ui/models/run_status.h"
#include "ui/widgets/card.h"
#include "ui/widgets/figure_card.h"
#include "ui/widgets/space_legend.h"

namespace tidemark::ui {

MemoryTab::MemoryTab(QWidget* parent)
    : QWidget(parent), stack_(new plots::MemoryStackPlot), slider_(new QSlider(Qt::Horizontal)), sliderText_(makeLabel({}, "muted")),
      rank_(new QComboBox), bars_(new plots::OperatorBarPlot), curves_(new plots::CurvePlot) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 2, 0, 0);
  layout->setSpacing(12);
  auto* figures = new QHBoxLayout;
  figures->setSpacing(12);
  for (FigureCard*& figure : figures_) {
    figure = new FigureCard;
    figures->addWidget(figure, 1);
  }
  layout->addLayout(figures);
  stackCard_ = makeStackCard();
  layout->addWidget(stackCard_, 6);
  auto* below = new QHBoxLayout;
  below->setSpacing(12);
  auto* barCard = new Card(tr("Activation kept per operator"));
  barCard->setCaption(tr("iteration 1"));
  barCard->body()->addWidget(bars_, 1);
  auto* curveCard = new Card(tr("Loss and throughput"));
  curveCard->setCaption(tr("— loss   - - tokens/s"));
  curveCard->body()->addWidget(curves_, 1);
  below->addWidget(barCard, 1);
  below->addWidget(curveCard, 1);
  layout->addLayout(below, 5);
  connect(stack_, &plots::MemoryStackPlot::pointedAt, this, [this](int moment) {
    const auto& moments = stack_->series().moments;
    bars_->setHighlight(moment < 0 ? -1 : moments[static_cast<std::size_t>(moment)].operatorIndex);
  });
}

Card* MemoryTab::makeStackCard() {
  auto* card = new Card(tr("Memory over one iteration"));
  card->header()->insertWidget(1, makeSpaceLegend());
  rank_->setFixedWidth(62);
  rank_->setAccessibleName(tr("Rank"));
  rank_->setToolTip(tr("The rank whose memory is shown"));
  card->header()->addWidget(rank_);
  card->body()->addWidget(stack_, 1);
  auto* row = new QHBoxLayout;
  row->setSpacing(14);
  QLabel* label = makeLabel(tr("iteration"), "muted");
  label->setBuddy(slider_);
  slider_->setAccessibleName(tr("Iteration"));
  slider_->setToolTip(tr("Stored iterations; the right end follows the run"));
  slider_->setPageStep(10);
  sliderText_->setObjectName(QStringLiteral("iterationShown"));
  sliderText_->setMinimumWidth(110);
  row->addWidget(label);
  row->addWidget(slider_, 1);
  row->addWidget(sliderText_);
  card->body()->addLayout(row);
  connect(slider_, &QSlider::valueChanged, this, &MemoryTab::sliderMoved);
  connect(rank_, &QComboBox::currentIndexChanged, this, [this](int rank) { emit rankWanted(rank); });
  return card;
}

void MemoryTab::show(const RunDetail& detail, const std::vector<run::StepEvent>& steps) {
  const std::array<Figure, 5> figures = figuresOf(detail, steps);
  for (std::size_t i = 0; i < figures.size(); ++i) figures_[i]->setFigure(figures[i]);
  stack_->setSeries(memorySeriesOf(detail));
  bars_->setBars(operatorBarsOf(detail));
  curves_->setSeries(curvesOf(steps, detail.evaluations));
  stackCard_->setCaption(tr("%1 on rank").arg(stack_->unitName()));
  showRanks(detail);
  int64_t iterationsDone = 0;
  for (const run::StepEvent& step : steps) iterationsDone += step.iterations;
  showSlider(detail, iterationsDone);
}

void MemoryTab::showRanks(const RunDetail& detail) {
  const int count = static_cast<int>(std::max<int64_t>(1, detail.record.ranks));
  const QSignalBlocker blocker(rank_);
  while (rank_->count() > count) rank_->removeItem(rank_->count() - 1);
  while (rank_->count() < count) rank_->addItem(QString::number(rank_->count()));
  rank_->setCurrentIndex(static_cast<int>(detail.wish.rank));
}

void MemoryTab::showSlider(const RunDetail& detail, int64_t iterationsDone) {
  iterations_ = detail.iterations;
  const bool isLive = detail.wish.iteration < 0;
  const int last = static_cast<int>(iterations_.size()) - 1;
  const QSignalBlocker blocker(slider_);
  slider_->setEnabled(last > 0);
  slider_->setRange(0, std::max(0, last));
  if (isLive) {
    slider_->setValue(slider_->maximum());
  } else {
    const auto at = std::upper_bound(iterations_.begin(), iterations_.end(), detail.wish.iteration);
    slider_->setValue(std::max(0, static_cast<int>(at - iterations_.begin()) - 1));
  }
  if (!detail.timeline) {
    sliderText_->setText(tr("not measured yet"));
    return;
  }
  // A timeline holds until the next one that differs: the newest is that of the run's last iteration.
  const int64_t iteration = isLive ? std::max(iterationsDone, detail.timeline->iteration) : detail.timeline->iteration;
  const QString number = plots::countText(static_cast<double>(iteration));
  if (!isLive) sliderText_->setText(number);
  else sliderText_->setText((isActive(detail.record.status) ? tr("%1 · live") : tr("%1 · last")).arg(number));
}

void MemoryTab::sliderMoved(int position) {
  if (iterations_.empty()) return;
  const bool isLive = position == slider_->maximum();
  emit iterationWanted(isLive ? -1 : iterations_[static_cast<std::size_t>(position)]);
}

void MemoryTab::setTheme(const plots::PlotTheme& theme) {
  stack_->setTheme(theme);
  bars_->setTheme(theme);
  curves_->setTheme(theme);
}

}  // namespace tidemark::ui
