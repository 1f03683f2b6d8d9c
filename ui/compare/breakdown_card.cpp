#include "ui/compare/breakdown_card.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QScrollArea>
#include <QSignalBlocker>
#include <QStackedWidget>
#include <QTabBar>
#include <QToolButton>
#include <QVBoxLayout>

#include "ui/compare/card_tools.h"
#include "ui/compare/comparison.h"
#include "ui/compare/plot_file.h"
#include "ui/widgets/space_legend.h"

namespace tidemark::ui {
namespace {

QStringList resultNames() {
  QStringList names;
  for (const ResultKind& kind : resultKinds()) names << kind.name;
  return names;
}

}  // namespace

BreakdownCard::BreakdownCard(QWidget* parent)
    : Card({}, parent), tabs_(new QTabBar), views_(new QStackedWidget), peaks_(new plots::PeakBarPlot), activations_(new plots::OverlayPlot),
      scatter_(new plots::ScatterPlot), setting_(makeChoice(tr("Setting"), {}, tr("The setting across; those that differ come first"))),
      result_(makeChoice(tr("Result"), resultNames(), tr("The result upwards"))) {
  tabs_->setExpanding(false);
  tabs_->setUsesScrollButtons(false);
  tabs_->setAccessibleName(tr("Views of the comparison"));
  activations_->setAccessibleName(tr("Activation kept per operator"));
  const std::pair<QString, QWidget*> views[] = {
      {tr("Peak memory"), makePeakView()}, {tr("Activation"), activations_}, {tr("Setting and result"), makeScatterView()}};
  for (const auto& [title, view] : views) {
    tabs_->addTab(title);
    views_->addWidget(view);
  }
  const QString toolTips[] = {tr("The fullest moment of any rank in its newest measured iteration, by space; the line is the budget"),
                              tr("Bytes that each operator keeps for its backward, on rank 0 in the first iteration"),
                              tr("One point for each run")};
  for (int i = 0; i < tabs_->count(); ++i) tabs_->setTabToolTip(i, toolTips[i]);
  auto* save = makeSaveButton(tr("Save this view"));
  header()->insertWidget(0, tabs_);
  header()->addWidget(save);
  body()->addWidget(views_, 1);
  layout()->setContentsMargins(16, 8, 12, 8);
  connect(tabs_, &QTabBar::currentChanged, views_, &QStackedWidget::setCurrentIndex);
  connect(save, &QToolButton::clicked, this, [this] { emit saveWanted(picture().title); });
  for (QComboBox* combo : {setting_, result_}) connect(combo, &QComboBox::currentIndexChanged, this, &BreakdownCard::showScatter);
}

QWidget* BreakdownCard::makePeakView() {
  auto* view = new QWidget;
  auto* layout = new QVBoxLayout(view);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(4);
  auto* scroll = new QScrollArea;
  scroll->setObjectName(QStringLiteral("plotScroll"));
  scroll->setWidget(peaks_);
  scroll->setWidgetResizable(true);
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  layout->addWidget(scroll, 1);
  layout->addWidget(makeSpaceLegend(), 0, Qt::AlignLeft);
  return view;
}

QWidget* BreakdownCard::makeScatterView() {
  auto* view = new QWidget;
  auto* layout = new QVBoxLayout(view);
  layout->setContentsMargins(0, 0, 0, 0);
  auto* row = new QHBoxLayout;
  row->setSpacing(8);
  setting_->setMinimumContentsLength(22);
  row->addWidget(setting_);
  row->addWidget(makeLabel(tr("against"), "muted"));
  row->addWidget(result_);
  row->addStretch(1);
  layout->addLayout(row);
  layout->addWidget(scatter_, 1);
  return view;
}

void BreakdownCard::show(const Comparison& comparison, const std::vector<int>& marks) {
  runs_ = comparison.runs;
  marks_ = marks;
  peaks_->setBars(peaksOf(runs_, marks_));
  activations_->setSeries(activationsOf(runs_, marks_));
  offerSettings(comparison);
  showScatter();
}

void BreakdownCard::offerSettings(const Comparison& comparison) {
  QStringList differing, equal;
  for (const SettingRow& row : comparison.settings) {
    const QString key = QString::fromStdString(row.key);
    if (key.contains(QLatin1Char(' ')) || key == QLatin1String("vocabulary")) continue;  // found out, not set
    (row.differs ? differing : equal) << key;
  }
  const QStringList keys = differing + equal;
  QStringList offered;
  for (int i = 0; i < setting_->count(); ++i) offered << setting_->itemText(i);
  if (keys == offered) return;
  const QString chosen = setting_->currentText();
  const QSignalBlocker blocker(setting_);
  setting_->clear();
  setting_->addItems(keys);
  setting_->setCurrentIndex(std::max(0, static_cast<int>(keys.indexOf(chosen))));
}

void BreakdownCard::showScatter() {
  const auto& kinds = resultKinds();
  scatter_->setSeries(scatterOf(runs_, marks_, setting_->currentText().toStdString(), kinds[static_cast<std::size_t>(result_->currentIndex())]));
}

void BreakdownCard::showView(View view) { tabs_->setCurrentIndex(static_cast<int>(view)); }

void BreakdownCard::setTheme(const plots::PlotTheme& theme) {
  for (plots::PlotFrame* plot : std::initializer_list<plots::PlotFrame*>{peaks_, activations_, scatter_}) plot->setTheme(theme);
}

plots::PlotFrame* BreakdownCard::shownPlot() const {
  switch (static_cast<View>(tabs_->currentIndex())) {
    case View::PeakMemory: return peaks_;
    case View::Activation: return activations_;
    case View::Scatter: return scatter_;
  }
  return peaks_;
}

PlotPicture BreakdownCard::picture() const {
  switch (static_cast<View>(tabs_->currentIndex())) {
    case View::PeakMemory: return {tr("Peak memory by component"), spaceLegend()};
    case View::Activation: return {tr("Activation kept per operator"), runLegend(runs_, marks_)};
    case View::Scatter: return {tr("%1 against %2").arg(result_->currentText(), setting_->currentText()), runLegend(runs_, marks_)};
  }
  return {};
}

Status BreakdownCard::save(const QString& path) { return writePlot(*shownPlot(), picture(), path); }

}  // namespace tidemark::ui
