#include "ui/pages/run_page.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QStackedWidget>
#include <QTabBar>

#include "ui/models/run_figures.h"
#include "ui/models/run_status.h"
#include "ui/pages/learning_tab.h"
#include "ui/pages/log_tab.h"
#include "ui/pages/memory_tab.h"
#include "ui/pages/operators_tab.h"
#include "ui/widgets/banner.h"
#include "ui/widgets/card.h"

namespace tidemark::ui {

using storage::RunStatus;

RunPage::RunPage(QWidget* parent)
    : QWidget(parent), banner_(new Banner), tabs_(new QTabBar), stack_(new QStackedWidget), memory_(new MemoryTab),
      operators_(new OperatorsTab), learning_(new LearningTab), log_(new LogTab) {
  setObjectName(QStringLiteral("page"));
  setAttribute(Qt::WA_StyledBackground);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(15, 14, 24, 14);
  layout->setSpacing(8);
  layout->addWidget(makeHeader());
  layout->addWidget(makeProgressRow());
  layout->addWidget(tabs_);
  layout->addWidget(banner_);
  layout->addWidget(stack_, 1);
  const std::pair<QString, QWidget*> pages[] = {
      {tr("Memory"), memory_}, {tr("Operators"), operators_}, {tr("Learning"), learning_}, {tr("Log"), log_}};
  for (const auto& [title, page] : pages) {
    tabs_->addTab(title);
    stack_->addWidget(page);
  }
  tabs_->setExpanding(false);
  tabs_->setAccessibleName(tr("Views of the run"));
  connect(tabs_, &QTabBar::currentChanged, stack_, &QStackedWidget::setCurrentIndex);
  connect(memory_, &MemoryTab::iterationWanted, this, [this](qint64 iteration) {
    wish_.iteration = iteration;
    wishAgain();
  });
  connect(memory_, &MemoryTab::rankWanted, this, [this](qint64 rank) {
    wish_.rank = rank;
    wishAgain();
  });
}

QWidget* RunPage::makeHeader() {
  auto* header = new QWidget;
  auto* layout = new QHBoxLayout(header);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(10);
  name_ = makeLabel({}, "heading");
  name_->setObjectName(QStringLiteral("runName"));
  name_->setMaximumWidth(560);
  subtitle_ = makeLabel({}, "body");
  subtitle_->setEnabled(false);
  layout->addWidget(name_);
  layout->addSpacing(14);
  layout->addWidget(subtitle_);
  layout->addStretch(1);
  stop_ = new QPushButton(tr("Stop"));
  stop_->setToolTip(tr("Stop the run with a checkpoint, so that it can be resumed"));
  resume_ = new QPushButton(tr("Resume"));
  resume_->setToolTip(tr("Go on from the last checkpoint"));
  report_ = new QPushButton(tr("Report"));
  report_->setToolTip(tr("Make the memory report of this run and open it"));
  for (QPushButton* button : {stop_, resume_, report_}) {
    button->setAccessibleName(button->text());
    layout->addWidget(button);
  }
  connect(stop_, &QPushButton::clicked, this, [this] { emit stopWanted(detail_.record); });
  connect(resume_, &QPushButton::clicked, this, [this] { emit resumeWanted(detail_.record); });
  connect(report_, &QPushButton::clicked, this, [this] { emit reportWanted(detail_.record); });
  return header;
}

QWidget* RunPage::makeProgressRow() {
  auto* row = new QWidget;
  auto* layout = new QHBoxLayout(row);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(14);
  progress_ = new QProgressBar;
  progress_->setTextVisible(false);
  progress_->setAccessibleName(tr("Steps done"));
  progress_->setToolTip(tr("Optimizer steps done, of all steps"));
  progressText_ = makeLabel({}, "muted");
  progressText_->setMinimumWidth(200);
  layout->addWidget(progress_, 1);
  layout->addWidget(progressText_);
  layout->addSpacing(120);
  return row;
}

void RunPage::open(const QString& runId) {
  if (wish_.runId == runId.toStdString()) return wishAgain();
  wish_.runId = runId.toStdString();
  wish_.rank = 0;
  wish_.iteration = -1;
  hasDetail_ = false;
  detail_ = {};
  steps_.clear();
  banner_->clear();
  endShown_.clear();
  for (QPushButton* button : {stop_, resume_, report_}) button->setEnabled(false);
  wishAgain();
}

void RunPage::wishAgain() {
  ++wish_.generation;
  emit wished(wish_);
}

void RunPage::setDetail(const RunDetail& detail) {
  if (detail.wish.runId != wish_.runId) return;
  // Steps are sent once: an answer to an older wish for the same run and rank still carries some.
  if (detail.wish.rank == wish_.rank) {
    if (detail.startsOver) steps_.clear();
    steps_.insert(steps_.end(), detail.newSteps.begin(), detail.newSteps.end());
  }
  if (detail.wish.generation != wish_.generation) return;
  detail_ = detail;
  hasDetail_ = true;
  showHeader();
  showEnd();
  memory_->show(detail_, steps_);
  operators_->show(detail_);
  learning_->show(detail_, steps_);
  log_->show(detail_);
}

void RunPage::showHeader() {
  const storage::RunRecord& run = detail_.record;
  const QString name = QString::fromStdString(run.name).simplified();
  name_->setText(name_->fontMetrics().elidedText(name, Qt::ElideRight, name_->maximumWidth()));
  name_->setAccessibleName(name);
  subtitle_->setText(subtitleOf(detail_));
  progress_->setRange(0, static_cast<int>(std::max<int64_t>(1, run.maxSteps)));
  progress_->setValue(static_cast<int>(std::min(run.step, run.maxSteps)));
  progressText_->setText(progressOf(run));
  stop_->setVisible(isActive(run.status));
  stop_->setEnabled(run.status == RunStatus::Running);
  stop_->setText(run.status == RunStatus::Stopping ? tr("Stopping…") : tr("Stop"));
  resume_->setVisible(canResume(run.status));
  resume_->setEnabled(true);
  report_->setEnabled(true);
}

void RunPage::showEnd() {
  const storage::RunRecord& run = detail_.record;
  const QString state = QString::fromStdString(run.id) + statusWord(run.status);
  if (state == endShown_) return;
  endShown_ = state;
  if (run.status == RunStatus::Failed) {
    const QString why = QString::fromStdString(run.message);
    banner_->showMessage(Banner::Severity::Error, why.isEmpty() ? tr("The run failed. Its log tells more.") : why);
  } else if (run.status == RunStatus::Lost) {
    banner_->showMessage(Banner::Severity::Warning,
                         tr("The process that ran this is gone without a word: the machine was switched off, or it was killed. "
                            "Resume goes on from the last checkpoint."));
  } else {
    banner_->clear();
  }
}

void RunPage::setTheme(ColorScheme scheme) {
  memory_->setTheme(plotThemeFor(scheme));
  learning_->setTheme(plotThemeFor(scheme));
}

void RunPage::showTab(Tab tab) { tabs_->setCurrentIndex(static_cast<int>(tab)); }

}  // namespace tidemark::ui
