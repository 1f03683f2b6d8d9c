#include "ui/shell/main_window.h"

#include <QApplication>
#include <QDesktopServices>
#include <QHBoxLayout>
#include <QMenu>
#include <QMessageBox>
#include <QPushButton>
#include <QShortcut>
#include <QStackedWidget>
#include <QToolButton>
#include <QUrl>
#include <algorithm>

#include "ui/compare/compare_page.h"
#include "ui/data/data_page.h"
#include "ui/live/run_launcher.h"
#include "ui/live/run_watcher.h"
#include "ui/pages/new_run_page.h"
#include "ui/pages/run_page.h"
#include "ui/pages/runs_page.h"
#include "ui/sweep/sweep_form_card.h"
#include "ui/sweep/sweep_results_card.h"
#include "ui/sweep/sweeps_page.h"
#include "ui/widgets/banner.h"

namespace tidemark::ui {

namespace {

ColorSchemeSource* makeColors(Appearance appearance, QObject* parent) {
  auto* colors = new ColorSchemeSource(parent);
  colors->setAppearance(appearance);
  applyTheme(*qApp, colors->scheme());
  return colors;
}

}  // namespace

MainWindow::MainWindow(const WindowSettings& settings, QWidget* parent)
    : QMainWindow(parent), colors_(makeColors(settings.appearance, this)), watcher_(new RunWatcher(settings.database, this)),
      launcher_(new RunLauncher(settings.database, settings.cli, this)),
      sidebar_(new Sidebar), stack_(new QStackedWidget), runsPage_(new RunsPage), newRunPage_(new NewRunPage(settings.database, settings.cli)),
      runPage_(new RunPage), sweepsPage_(new SweepsPage), dataPage_(new DataPage), comparePage_(new ComparePage(settings.database)) {
  auto* content = new QWidget;
  auto* layout = new QHBoxLayout(content);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(sidebar_);
  layout->addWidget(stack_, 1);
  for (QWidget* page : std::initializer_list<QWidget*>{runsPage_, newRunPage_, runPage_, sweepsPage_, dataPage_, comparePage_}) stack_->addWidget(page);
  setCentralWidget(content);
  sidebar_->foot()->addWidget(makeAppearanceButton(), 0, Qt::AlignLeft);
  resize(1440, 900);
  setMinimumSize(1040, 680);
  connectPages();
  connectSweeps();
  connectData();
  connect(colors_, &ColorSchemeSource::schemeChanged, this, &MainWindow::takeScheme);
  runPage_->setTheme(colors_->scheme());
  dataPage_->setTheme(colors_->scheme());
  newRunPage_->setTheme(plotThemeFor(colors_->scheme()));
  comparePage_->setTheme(colors_->scheme());
  colors_->listen();
  showRuns();
}

MainWindow::~MainWindow() = default;

QWidget* MainWindow::makeAppearanceButton() {
  auto* button = new QToolButton;
  button->setText(tr("Appearance"));
  button->setToolTip(tr("Light, dark, or as the desktop has it"));
  button->setAccessibleName(tr("Appearance"));
  button->setPopupMode(QToolButton::InstantPopup);
  auto* menu = new QMenu(button);
  const std::pair<QString, Appearance> choices[] = {
      {tr("As the desktop"), Appearance::System}, {tr("Light"), Appearance::Light}, {tr("Dark"), Appearance::Dark}};
  for (const auto& [text, appearance] : choices) {
    const Appearance chosen = appearance;
    connect(menu->addAction(text), &QAction::triggered, this, [this, chosen] {
      setAppearance(chosen);
      emit appearanceChosen(chosen);
    });
  }
  button->setMenu(menu);
  return button;
}

void MainWindow::connectPages() {
  connect(sidebar_, &Sidebar::pageChosen, this, &MainWindow::showPage);
  connect(sidebar_, &Sidebar::runChosen, this, &MainWindow::openRun);
  connect(runsPage_, &RunsPage::openWanted, this, &MainWindow::openRun);
  connect(runsPage_, &RunsPage::newRunWanted, this, &MainWindow::showNewRun);
  connect(runsPage_, &RunsPage::stopWanted, launcher_, &RunLauncher::stop);
  connect(runsPage_, &RunsPage::resumeWanted, launcher_, &RunLauncher::resume);
  connect(runsPage_, &RunsPage::reportWanted, launcher_, &RunLauncher::makeReport);
  connect(runsPage_, &RunsPage::copyWanted, this, &MainWindow::copyRun);
  connect(runsPage_, &RunsPage::deleteWanted, this, &MainWindow::confirmDelete);
  connect(runsPage_, &RunsPage::compareWanted, this, &MainWindow::compareRuns);
  connect(newRunPage_, &NewRunPage::dataWanted, this, &MainWindow::lookAtData);
  connect(comparePage_, &ComparePage::openWanted, this, &MainWindow::openRun);
  connect(runPage_, &RunPage::stopWanted, launcher_, &RunLauncher::stop);
  connect(runPage_, &RunPage::resumeWanted, launcher_, &RunLauncher::resume);
  connect(runPage_, &RunPage::reportWanted, launcher_, &RunLauncher::makeReport);
  connect(newRunPage_, &NewRunPage::startWanted, launcher_, &RunLauncher::start);
  connect(new QShortcut(QKeySequence::New, this), &QShortcut::activated, this, &MainWindow::showNewRun);
  connect(new QShortcut(QKeySequence(Qt::CTRL | Qt::Key_R), this), &QShortcut::activated, this, &MainWindow::showRuns);
}

void MainWindow::connectSweeps() {
  connect(newRunPage_, &NewRunPage::sweepWanted, this, &MainWindow::showSweeps);
  connect(sweepsPage_, &SweepsPage::baseWanted, this, &MainWindow::showNewRun);
  connect(sweepsPage_, &SweepsPage::startWanted, launcher_, &RunLauncher::startSweep);
  SweepResultsCard* results = sweepsPage_->results();
  connect(results, &SweepResultsCard::wished, watcher_, &RunWatcher::wishForSweep);
  connect(results, &SweepResultsCard::openWanted, this, &MainWindow::openRun);
  connect(results, &SweepResultsCard::compareWanted, this, &MainWindow::compareRuns);
  connect(results, &SweepResultsCard::stopWanted, launcher_, &RunLauncher::stopSweep);
  connect(results, &SweepResultsCard::resumeWanted, launcher_, &RunLauncher::resumeSweep);
  connect(watcher_, &RunWatcher::sweepPointsRead, results, &SweepResultsCard::setPoints);
  connect(watcher_, &RunWatcher::sweepsRead, this, [this, results](const std::vector<storage::SweepRecord>& sweeps) {
    results->setSweeps(sweeps);
    launcher_->noticeSweeps(sweeps);
  });
  connect(launcher_, &RunLauncher::sweepStarted, this, [this, results](const QString& sweepId) {
    results->choose(sweepId);
    showSweeps();
  });
}

void MainWindow::connectData() {
  connect(watcher_, &RunWatcher::runsRead, this, &MainWindow::takeRuns);
  connect(watcher_, &RunWatcher::detailRead, runPage_, &RunPage::setDetail);
  connect(runPage_, &RunPage::wished, watcher_, &RunWatcher::wishFor);
  connect(watcher_, &RunWatcher::failed, this, [this](const QString& message) {
    for (Banner* banner : banners()) {
      banner->showMessage(Banner::Severity::Error, tr("The database cannot be read: %1").arg(message));
    }
  });
  connect(watcher_, &RunWatcher::recovered, this, [this] {
    for (Banner* banner : banners()) banner->clear();
  });
  connect(launcher_, &RunLauncher::started, this, &MainWindow::openRun);
  connect(launcher_, &RunLauncher::pendingChanged, this, [this] {
    newRunPage_->setStarting(launcher_->isStarting());
    sweepsPage_->setStarting(launcher_->isStarting());
  });
  connect(launcher_, &RunLauncher::refused, this,
          [this](const QString& message) { currentBanner()->showMessage(Banner::Severity::Error, message); });
  connect(launcher_, &RunLauncher::reportReady, this, &MainWindow::openReport);
}

std::vector<Banner*> MainWindow::banners() const {
  return {runsPage_->banner(), runPage_->banner(), newRunPage_->banner(), sweepsPage_->banner(), comparePage_->banner()};
}

Banner* MainWindow::currentBanner() const {
  if (stack_->currentWidget() == runPage_) return runPage_->banner();
  if (stack_->currentWidget() == sweepsPage_) return sweepsPage_->banner();
  if (stack_->currentWidget() == dataPage_) return dataPage_->banner();
  if (stack_->currentWidget() == comparePage_) return comparePage_->banner();
  return stack_->currentWidget() == newRunPage_ ? newRunPage_->banner() : runsPage_->banner();
}

void MainWindow::takeRuns(const std::vector<storage::RunRecord>& runs) {
  runs_ = runs;
  hasReadRuns_ = true;
  runsPage_->setRuns(runs);
  comparePage_->setRuns(runs);
  sweepsPage_->setRuns(runs);
  sidebar_->setRuns(runs);
  launcher_->noticeRuns(runs);
  const bool isShownRunGone = stack_->currentWidget() == runPage_ &&
                              std::none_of(runs.begin(), runs.end(), [this](const storage::RunRecord& run) {
                                return QString::fromStdString(run.id) == runPage_->runId();
                              });
  if (isShownRunGone) showRuns();
}

void MainWindow::showRuns() {
  stack_->setCurrentWidget(runsPage_);
  sidebar_->select(Sidebar::Page::Runs);
  setWindowTitle(tr("Runs – Tidemark"));
}

void MainWindow::showNewRun() {
  stack_->setCurrentWidget(newRunPage_);
  sidebar_->select(Sidebar::Page::NewRun);
  setWindowTitle(tr("New run – Tidemark"));
}

void MainWindow::showSweeps() {
  sweepsPage_->setBase(newRunPage_->form().config());
  stack_->setCurrentWidget(sweepsPage_);
  sidebar_->select(Sidebar::Page::Sweeps);
  setWindowTitle(tr("Sweeps – Tidemark"));
}

void MainWindow::showData() {
  stack_->setCurrentWidget(dataPage_);
  sidebar_->select(Sidebar::Page::Data);
  setWindowTitle(tr("Data – Tidemark"));
}

void MainWindow::showCompare() {
  stack_->setCurrentWidget(comparePage_);
  sidebar_->select(Sidebar::Page::Compare);
  setWindowTitle(tr("Compare – Tidemark"));
}

void MainWindow::showPage(Sidebar::Page page) {
  switch (page) {
    case Sidebar::Page::Runs: return showRuns();
    case Sidebar::Page::NewRun: return showNewRun();
    case Sidebar::Page::Sweeps: return showSweeps();
    case Sidebar::Page::Data: return showData();
    case Sidebar::Page::Compare: return showCompare();
  }
}

void MainWindow::lookAtData(const run::RunConfig& config) {
  dataPage_->open(config);
  showData();
}

void MainWindow::compareRuns(const QStringList& runIds) {
  comparePage_->choose(runIds);
  showCompare();
}

void MainWindow::openRun(const QString& runId) {
  runPage_->open(runId);
  stack_->setCurrentWidget(runPage_);
  sidebar_->selectRun(runId);
  setWindowTitle(tr("Run – Tidemark"));
}

void MainWindow::copyRun(const storage::RunRecord& run) {
  const run::ParsedConfig parsed = run::parseConfig(run.configYaml);
  newRunPage_->load(parsed.config, {});
  showNewRun();
}

void MainWindow::confirmDelete(const storage::RunRecord& run) {
  auto* question = new QMessageBox(QMessageBox::Warning, tr("Delete run"), {}, QMessageBox::Cancel, this);
  question->setAttribute(Qt::WA_DeleteOnClose);
  question->setTextFormat(Qt::PlainText);
  question->setText(tr("Delete the run “%1” from the database?\n\nIts files in %2 stay.")
                        .arg(QString::fromStdString(run.name).simplified(), QString::fromStdString(run.directory)));
  QPushButton* remove = question->addButton(tr("Delete"), QMessageBox::DestructiveRole);
  const QString id = QString::fromStdString(run.id);
  connect(remove, &QPushButton::clicked, this, [this, id] { watcher_->deleteRun(id); });
  question->open();
}

void MainWindow::openReport(const QString& path) {
  if (QDesktopServices::openUrl(QUrl::fromLocalFile(path))) return;
  currentBanner()->showMessage(Banner::Severity::Note, tr("The report is in %1. No program for HTML was found to open it.").arg(path));
}

void MainWindow::setAppearance(Appearance appearance) { colors_->setAppearance(appearance); }

void MainWindow::takeScheme(ColorScheme scheme) {
  applyTheme(*qApp, scheme);
  runPage_->setTheme(scheme);
  dataPage_->setTheme(scheme);
  newRunPage_->setTheme(plotThemeFor(scheme));
  comparePage_->setTheme(scheme);
}

}  // namespace tidemark::ui
