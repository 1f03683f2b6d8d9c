#include "ui/compare/breakdown_card.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QScrollArea>
#include <QSignalBlocker>
#include <QStackedLayout>
#include <QStackedWidget>
#include <QTabBar>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>

#include "ui/compare/card_tools.h"
#include "plots/parallel_plot.h"
#include "ui/compare/comparison.h"
#include "ui/compare/parallel_series.h"
#include "ui/compare/sample_table.h"
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
      scatter_(new plots::ScatterPlot), parallel_(new plots::ParallelPlot), kept_(makeLabel({}, "muted")), clear_(new QToolButton),
      samples_(new SampleTableModel(this)), setting_(makeChoice(tr("Setting"), {}, tr("The setting across; those that differ come first"))),
      result_(makeChoice(tr("Result"), resultNames(), tr("The result upwards"))) {
  tabs_->setExpanding(false);
  tabs_->setUsesScrollButtons(false);
  tabs_->setAccessibleName(tr("Views of the comparison"));
  activations_->setAccessibleName(tr("Activation kept per operator"));
  const std::pair<QString, QWidget*> views[] = {
      {tr("Peak memory"), makePeakView()}, {tr("Activation"), activations_}, {tr("Setting and result"), makeScatterView()},
      {tr("Parallel"), makeParallelView()}, {tr("Samples"), makeSampleView()}};
  for (const auto& [title, view] : views) {
    tabs_->addTab(title);
    views_->addWidget(view);
  }
  const QString toolTips[] = {tr("The fullest moment of any rank in the whole run, by space; the line is the budget"),
                              tr("Bytes that each operator keeps for its backward, on rank 0 in the first iteration"),
                              tr("One point for each run"),
                              tr("One line for each run through the settings that differ and the results; drag along an axis to keep some"),
                              tr("What the runs generated for the same prompts")};
  for (int i = 0; i < tabs_->count(); ++i) tabs_->setTabToolTip(i, toolTips[i]);
  save_ = makeSaveButton(tr("Save this view"));
  header()->insertWidget(0, tabs_);
  header()->addWidget(save_);
  body()->addWidget(views_, 1);
  layout()->setContentsMargins(16, 8, 12, 8);
  connect(tabs_, &QTabBar::currentChanged, views_, &QStackedWidget::setCurrentIndex);
  connect(tabs_, &QTabBar::currentChanged, this, [this] { save_->setEnabled(shownPlot() != nullptr); });
  connect(save_, &QToolButton::clicked, this, [this] { shownPlot()->askWhereToSave(); });
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

QWidget* BreakdownCard::makeParallelView() {
  auto* view = new QWidget;
  auto* layout = new QVBoxLayout(view);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(4);
  clear_->setObjectName(QStringLiteral("keepAll"));
  clear_->setText(tr("Keep all"));
  clear_->setProperty("framed", true);
  clear_->setAccessibleName(clear_->text());
  clear_->setToolTip(tr("Take the marked ranges away (Delete)"));
  kept_->setObjectName(QStringLiteral("keptRuns"));
  auto* row = new QHBoxLayout;
  row->addWidget(kept_);
  row->addStretch(1);
  row->addWidget(clear_);
  layout->addWidget(parallel_, 1);
  layout->addLayout(row);
  connect(parallel_, &plots::ParallelPlot::brushed, this, &BreakdownCard::showKept);
  connect(clear_, &QToolButton::clicked, parallel_, &plots::ParallelPlot::clearBrushes);
  return view;
}

QWidget* BreakdownCard::makeSampleView() {
  auto* view = new QWidget;
  sampleStack_ = new QStackedLayout(view);
  auto* table = new QTableView;
  table->setModel(samples_);
  table->setWordWrap(true);
  table->setSelectionMode(QAbstractItemView::SingleSelection);
  table->setEditTriggers(QAbstractItemView::NoEditTriggers);
  table->setTabKeyNavigation(false);
  table->setAccessibleName(tr("Samples of the runs"));
  table->setToolTip(tr("The newest text of each run for each prompt"));
  table->verticalHeader()->hide();
  table->verticalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
  table->horizontalHeader()->setSectionResizeMode(QHeaderView::Stretch);
  table->horizontalHeader()->setHighlightSections(false);
  sampleStack_->addWidget(table);
  QLabel* none = makeLabel(tr("None of these runs has generated a sample."), "muted");
  none->setAlignment(Qt::AlignCenter);
  sampleStack_->addWidget(none);
  return view;
}

void BreakdownCard::showKept() {
  const int all = static_cast<int>(parallel_->series().lines.size()), kept = parallel_->keptCount();
  kept_->setText(kept == all ? tr("Drag along an axis to keep the runs that pass there") : tr("%1 of %2 runs kept").arg(kept).arg(all));
  clear_->setEnabled(kept != all);
}

void BreakdownCard::show(const Comparison& comparison, const std::vector<int>& marks) {
  runs_ = comparison.runs;
  marks_ = marks;
  peaks_->setBars(peaksOf(runs_, marks_));
  activations_->setSeries(activationsOf(runs_, marks_));
  parallel_->setSeries(parallelOf(comparison, marks_));
  showKept();
  samples_->setRuns(runs_);
  sampleStack_->setCurrentIndex(samples_->rowCount() > 0 ? 0 : 1);
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
  scatter_->setPictureTitle(tr("%1 against %2").arg(result_->currentText(), setting_->currentText()));
  const auto& kinds = resultKinds();
  scatter_->setSeries(scatterOf(runs_, marks_, setting_->currentText().toStdString(), kinds[static_cast<std::size_t>(result_->currentIndex())]));
}

void BreakdownCard::showView(View view) { tabs_->setCurrentIndex(static_cast<int>(view)); }

void BreakdownCard::setTheme(const plots::PlotTheme& theme) {
  for (plots::PlotFrame* plot : std::initializer_list<plots::PlotFrame*>{peaks_, activations_, scatter_, parallel_}) plot->setTheme(theme);
}

plots::PlotFrame* BreakdownCard::shownPlot() const {
  switch (static_cast<View>(tabs_->currentIndex())) {
    case View::PeakMemory: return peaks_;
    case View::Activation: return activations_;
    case View::Scatter: return scatter_;
    case View::Parallel: return parallel_;
    case View::Samples: return nullptr;  // a table
  }
  return nullptr;
}

}  // namespace tidemark::ui
