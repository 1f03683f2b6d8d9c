#include "ui/sweep/sweep_results_card.h"

#include <QComboBox>
#include <QDateTime>
#include <QHeaderView>
#include <QLabel>
#include <QLocale>
#include <QPushButton>
#include <QSignalBlocker>
#include <QSortFilterProxyModel>
#include <QStackedLayout>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>

#include "plots/quantity.h"
#include "ui/sweep/sweep_points_model.h"
#include "ui/sweep/sweep_words.h"

namespace tidemark::ui {
namespace {

using storage::PointState;
using storage::SweepStatus;

QString titleOf(const storage::SweepRecord& sweep) {
  const QString when = QLocale().toString(QDateTime::fromMSecsSinceEpoch(static_cast<qint64>(sweep.createdAt * 1000)), QLocale::ShortFormat);
  return SweepResultsCard::tr("%1 · %2 · %3").arg(QString::fromStdString(sweep.name).simplified(), when, statusText(sweep.status));
}

QStringList keysOf(const std::vector<storage::SweepPoint>& points) {
  QStringList keys;
  if (points.empty()) return keys;
  for (const auto& value : points.front().values) keys << QString::fromStdString(value.first);
  return keys;
}

bool hasSeeds(const std::vector<storage::SweepPoint>& points) {
  return std::any_of(points.begin(), points.end(), [&](const storage::SweepPoint& point) { return point.seed != points.front().seed; });
}

QPushButton* makeButton(const char* name, const QString& text, const QString& toolTip) {
  auto* button = new QPushButton(text);
  button->setObjectName(QString::fromLatin1(name));
  button->setToolTip(toolTip);
  return button;
}

}  // namespace

SweepResultsCard::SweepResultsCard(QWidget* parent)
    : Card(tr("Sweeps"), parent), model_(new SweepPointsModel(this)), proxy_(new QSortFilterProxyModel(this)), choice_(new QComboBox) {
  choice_->setObjectName(QStringLiteral("sweepChoice"));
  choice_->setAccessibleName(tr("Sweep"));
  choice_->setToolTip(tr("Which sweep is shown; the newest is first"));
  choice_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  choice_->setMinimumContentsLength(24);
  header()->insertWidget(1, choice_, 3);
  auto* area = new QWidget;
  stack_ = new QStackedLayout(area);
  stack_->addWidget(makeTable());
  QLabel* empty = makeLabel(tr("No sweep yet.\n\nSay on the left which settings are varied and start it: every run appears here, with its state and result, "
                               "and the best is named. Sweeps of tidemark-cli sweep appear here too."), "muted");
  empty->setAlignment(Qt::AlignCenter);
  empty->setWordWrap(true);
  empty->setContentsMargins(40, 0, 40, 0);
  stack_->addWidget(empty);
  stack_->setCurrentIndex(1);
  summary_ = makeLabel({}, "body");
  summary_->setObjectName(QStringLiteral("sweepProgress"));
  summary_->setWordWrap(true);
  reason_ = makeLabel({}, "muted");
  reason_->setObjectName(QStringLiteral("sweepReason"));
  reason_->setWordWrap(true);
  reason_->hide();
  body()->addWidget(summary_);
  body()->addWidget(area, 1);
  body()->addWidget(reason_);
  body()->addWidget(makeButtons());
  connect(choice_, &QComboBox::currentIndexChanged, this, [this] {
    showSweep();
    emit wished(sweepId());
  });
  showSweep();
}

QWidget* SweepResultsCard::makeTable() {
  table_ = new QTableView;
  proxy_->setSourceModel(model_);
  proxy_->setSortRole(SweepPointsModel::SortRole);
  table_->setModel(proxy_);
  table_->setSortingEnabled(true);
  table_->sortByColumn(0, Qt::AscendingOrder);
  table_->setSelectionBehavior(QAbstractItemView::SelectRows);
  table_->setSelectionMode(QAbstractItemView::SingleSelection);
  table_->setEditTriggers(QAbstractItemView::NoEditTriggers);
  table_->setAlternatingRowColors(true);
  table_->setShowGrid(false);
  table_->setWordWrap(false);
  table_->setTabKeyNavigation(false);
  table_->verticalHeader()->hide();
  table_->verticalHeader()->setDefaultSectionSize(32);
  table_->horizontalHeader()->setHighlightSections(false);
  table_->setAccessibleName(tr("Runs of the sweep"));
  table_->setToolTip(tr("Return or a double click opens a run"));
  connect(table_, &QTableView::activated, this, [this] {
    if (const QString run = selectedRun(); !run.isEmpty()) emit openWanted(run);
  });
  connect(table_->selectionModel(), &QItemSelectionModel::selectionChanged, this, &SweepResultsCard::showSelection);
  return table_;
}

QWidget* SweepResultsCard::makeButtons() {
  open_ = makeButton("openRun", tr("Open run"), tr("Show the selected run's own page"));
  compare_ = makeButton("compareSweep", tr("Compare all"), tr("Show all runs of this sweep that have begun side by side"));
  stop_ = makeButton("stopSweep", tr("Stop the sweep"), tr("Its runs stop with a checkpoint, and it can be resumed"));
  resume_ = makeButton("resumeSweep", tr("Resume the sweep"), tr("Goes on with what is not done; finished runs are not repeated"));
  auto* widget = new QWidget;
  auto* line = new QHBoxLayout(widget);
  line->setContentsMargins(0, 0, 0, 0);
  line->addWidget(open_);
  line->addWidget(compare_);
  line->addStretch(1);
  line->addWidget(resume_);
  line->addWidget(stop_);
  connect(open_, &QPushButton::clicked, this, [this] { emit openWanted(selectedRun()); });
  connect(compare_, &QPushButton::clicked, this, [this] { emit compareWanted(startedRuns()); });
  connect(stop_, &QPushButton::clicked, this, [this] { if (const auto* sweep = chosen()) emit stopWanted(*sweep); });
  connect(resume_, &QPushButton::clicked, this, [this] { if (const auto* sweep = chosen()) emit resumeWanted(*sweep); });
  return widget;
}

void SweepResultsCard::setSweeps(const std::vector<storage::SweepRecord>& sweeps) {
  const QString before = sweepId();
  sweeps_ = sweeps;
  {
    const QSignalBlocker blocker(choice_);
    const auto count = static_cast<int>(sweeps.size());
    while (choice_->count() > count) choice_->removeItem(choice_->count() - 1);
    while (choice_->count() < count) choice_->addItem({});
    for (int i = 0; i < count; ++i) {
      const storage::SweepRecord& sweep = sweeps[static_cast<std::size_t>(i)];
      choice_->setItemText(i, titleOf(sweep));
      choice_->setItemData(i, QString::fromStdString(sweep.id));
    }
    const int same = choice_->findData(before);
    choice_->setCurrentIndex(same >= 0 ? same : count > 0 ? 0 : -1);
  }
  showSweep();
  if (sweepId() != before) emit wished(sweepId());
}

void SweepResultsCard::choose(const QString& sweepId) {
  if (const int index = choice_->findData(sweepId); index >= 0) choice_->setCurrentIndex(index);
}

QString SweepResultsCard::sweepId() const { return choice_->currentData().toString(); }

const storage::SweepRecord* SweepResultsCard::chosen() const {
  const auto found = std::find_if(sweeps_.begin(), sweeps_.end(), [this](const auto& sweep) { return QString::fromStdString(sweep.id) == sweepId(); });
  return found == sweeps_.end() ? nullptr : &*found;
}

void SweepResultsCard::setPoints(const QString& sweepId, const std::vector<storage::SweepPoint>& points) {
  const storage::SweepRecord* sweep = chosen();
  if (!sweep || sweepId != this->sweepId()) return;
  pointsOf_ = sweepId;
  points_ = points;
  const int before = model_->columnCount();
  model_->setKeys(keysOf(points), hasSeeds(points), sweep->objective);
  model_->setPoints(points);
  if (model_->columnCount() != before) layOutColumns();
  showSweep();
}

void SweepResultsCard::layOutColumns() {
  QHeaderView* columns = table_->horizontalHeader();
  const int state = model_->stateColumn();
  for (int column = 0; column < model_->columnCount(); ++column) {
    columns->setSectionResizeMode(column, column == state ? QHeaderView::Stretch : QHeaderView::Interactive);
    const int wanted = columns->sectionSizeHint(column) + 18;
    table_->setColumnWidth(column, column == 0 ? 52 : std::clamp(wanted, 76, 180));
  }
}

void SweepResultsCard::showSweep() {
  const storage::SweepRecord* sweep = chosen();
  choice_->setVisible(!sweeps_.empty());
  stack_->setCurrentIndex(sweep ? 0 : 1);
  summary_->setVisible(sweep != nullptr);
  if (sweep && pointsOf_ != sweepId()) {
    points_.clear();
    model_->setPoints({});
  }
  const bool isRunning = sweep && sweep->status == SweepStatus::Running;
  const bool hasMore = std::any_of(points_.begin(), points_.end(), [](const auto& point) { return !storage::isDone(point.state); });
  stop_->setEnabled(isRunning);
  resume_->setEnabled(sweep && !isRunning && hasMore);
  compare_->setEnabled(startedRuns().size() >= 2);
  if (sweep) {
    const auto done = std::count_if(points_.begin(), points_.end(), [](const auto& point) { return storage::isDone(point.state); });
    QString text = tr("%1 of %2 runs done").arg(done).arg(points_.size());
    for (const PointState state : {PointState::Running, PointState::StoppedEarly, PointState::Failed, PointState::Refused}) {
      const auto count = std::count_if(points_.begin(), points_.end(), [state](const auto& point) { return point.state == state; });
      if (count > 0) text += QStringLiteral(" · %1 %2").arg(count).arg(stateText(state).mid(2).toLower());
    }
    if (const int64_t best = bestPoint(points_, sweep->objective); best >= 0)
      text += tr(" · best: run %1, %2 %3").arg(best + 1).arg(objectiveText(sweep->objective).toLower(), plots::decimalText(*points_[static_cast<std::size_t>(best)].objective, 4));
    summary_->setText(text);
  }
  showSelection();
}

QString SweepResultsCard::selectedRun() const {
  const auto rows = table_->selectionModel()->selectedRows();
  return rows.isEmpty() ? QString() : rows.front().data(SweepPointsModel::KeyRole).toString();
}

QStringList SweepResultsCard::startedRuns() const {
  QStringList runs;
  for (const storage::SweepPoint& point : points_)
    if (!point.run.empty()) runs << QString::fromStdString(point.run);
  return runs;
}

void SweepResultsCard::showSelection() {
  open_->setEnabled(!selectedRun().isEmpty());
  const auto rows = table_->selectionModel()->selectedRows();
  QString reason;
  if (!rows.isEmpty()) {
    const SweepPointRow& row = model_->records()[static_cast<std::size_t>(proxy_->mapToSource(rows.front()).row())];
    reason = QString::fromStdString(row.point.reason);
    if (!reason.isEmpty()) reason = tr("Run %1: %2").arg(row.point.number + 1).arg(reason);
  }
  reason_->setText(reason);
  reason_->setVisible(!reason.isEmpty());
}

}  // namespace tidemark::ui
