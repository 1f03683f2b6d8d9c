#include "ui/shell/grab.h"

#include <QDir>
#include <QTimer>
#include <iostream>

#include "ui/compare/compare_page.h"
#include "ui/data/data_page.h"
#include "ui/pages/new_run_page.h"
#include "ui/pages/run_page.h"
#include "ui/shell/main_window.h"

namespace tidemark::ui {
namespace {

constexpr int kTickMs = 50;
constexpr int kSettleMs = 300;  // queued drawing and the database's first answers
constexpr int kMostMs = 30'000;
constexpr int kMostReadingMs = 20'000;  // of a dataset; a longer one is drawn as far as it was read
constexpr qsizetype kMostCompared = 5;

}  // namespace

Grab::Grab(MainWindow& window, const QString& folder, const QString& runId)
    : QObject(&window), window_(window), folder_(folder), runId_(runId) {}

void Grab::start() {
  if (!QDir().mkpath(folder_)) {
    std::cerr << "Cannot make the folder " << folder_.toStdString() << std::endl;
    emit finished(false);
    return;
  }
  steps_.push_back({[] {}, [this] { return window_.hasReadRuns(); }, {}});
  addSteps(QStringLiteral("light"));
  addSteps(QStringLiteral("dark"));
  auto* timer = new QTimer(this);
  connect(timer, &QTimer::timeout, this, &Grab::advance);
  timer->start(kTickMs);
}

void Grab::addSteps(const QString& scheme) {
  const Appearance appearance = scheme == QLatin1String("dark") ? Appearance::Dark : Appearance::Light;
  const auto always = [] { return true; };
  steps_.push_back({[this, appearance] {
                      window_.setAppearance(appearance);
                      window_.showRuns();
                      if (runId_.isEmpty() && !window_.runs().empty()) {
                        runId_ = QString::fromStdString(window_.runs().front().id);
                      }
                    },
                    always, QStringLiteral("runs-") + scheme});
  steps_.push_back({[this] {
                      for (const storage::RunRecord& run : window_.runs()) {
                        if (QString::fromStdString(run.id) != runId_ || run.configYaml.empty()) continue;
                        window_.newRunPage()->load(run::parseConfig(run.configYaml).config, {});
                      }
                      window_.showNewRun();
                    },
                    [this] { return window_.newRunPage()->isSettled(); },
                    QStringLiteral("new-run-") + scheme});
  steps_.push_back({[this] { window_.showSweeps(); }, always, QStringLiteral("sweeps-") + scheme});
  steps_.push_back({[this, appearance] {
                      // In dark the page shows what it has read already.
                      if (appearance == Appearance::Light && !runId_.isEmpty()) {
                        window_.dataPage()->open(window_.newRunPage()->form().config());
                      }
                      window_.showData();
                    },
                    [this] {
                      if (waitedMs_ > kMostReadingMs) window_.dataPage()->stop();
                      return window_.dataPage()->isSettled();
                    },
                    QStringLiteral("data-") + scheme});
  const std::pair<BreakdownCard::View, const char*> views[] = {{BreakdownCard::View::Parallel, "compare-parallel-"},
                                                               {BreakdownCard::View::PeakMemory, "compare-peak-"},
                                                               {BreakdownCard::View::Activation, "compare-activation-"},
                                                               {BreakdownCard::View::Scatter, "compare-scatter-"}};
  for (const auto& [view, name] : views) {
    const BreakdownCard::View chosen = view;
    steps_.push_back({[this, chosen] { compareNewest(chosen); }, [this] { return window_.comparePage()->isUpToDate(); },
                      QString::fromLatin1(name) + scheme});
  }
  const std::pair<RunPage::Tab, const char*> tabs[] = {{RunPage::Tab::Memory, "run-memory-"},
                                                       {RunPage::Tab::Operators, "run-operators-"},
                                                       {RunPage::Tab::Learning, "run-learning-"},
                                                       {RunPage::Tab::Log, "run-log-"}};
  for (const auto& [tab, name] : tabs) {
    const RunPage::Tab chosen = tab;
    steps_.push_back({[this, chosen] {
                        window_.runPage()->showTab(chosen);
                        if (!runId_.isEmpty()) window_.openRun(runId_);
                      },
                      [this] { return runId_.isEmpty() || window_.runPage()->hasDetail(); },
                      QString::fromLatin1(name) + scheme});
  }
}

void Grab::compareNewest(BreakdownCard::View view) {
  QStringList ids;
  for (const storage::RunRecord& run : window_.runs()) {
    if (ids.size() < kMostCompared) ids << QString::fromStdString(run.id);
  }
  if (window_.comparePage()->chosen() != ids) window_.comparePage()->choose(ids);
  window_.comparePage()->showView(view);
  window_.showCompare();
}

void Grab::advance() {
  if (current_ >= steps_.size()) return;
  const Step& step = steps_[current_];
  if (!isPrepared_) {
    isPrepared_ = true;
    waitedMs_ = 0;
    step.prepare();
    return;
  }
  waitedMs_ += kTickMs;
  const bool isReady = step.isReady();
  if (!isReady && waitedMs_ < kMostMs) return;
  if (isReady && waitedMs_ < kSettleMs) return;
  const bool isRunPage = step.name.startsWith(QLatin1String("run-"));
  if (!isReady) {
    std::cerr << "Gave up waiting for " << step.name.toStdString() << std::endl;
    current_ = steps_.size();
    emit finished(false);
    return;
  }
  if (isRunPage && runId_.isEmpty()) {
    std::cerr << "No run to draw " << step.name.toStdString() << " from" << std::endl;
  } else if (!step.name.isEmpty() && !draw(step.name)) {
    current_ = steps_.size();
    emit finished(false);
    return;
  }
  isPrepared_ = false;
  if (++current_ == steps_.size()) emit finished(true);
}

bool Grab::draw(const QString& name) {
  const QString path = QDir(folder_).absoluteFilePath(name + QStringLiteral(".png"));
  if (!window_.grab().save(path)) {
    std::cerr << "Cannot write " << path.toStdString() << std::endl;
    return false;
  }
  std::cout << path.toStdString() << std::endl;
  return true;
}

}  // namespace tidemark::ui
