// The window: sidebar and pages, and the wiring between them, the database watcher and the launcher.
#pragma once

#include <QMainWindow>
#include <filesystem>
#include <map>

#include "core/run/config.h"
#include "storage/run_store.h"
#include "ui/shell/color_scheme.h"
#include "ui/shell/sidebar.h"

class QStackedWidget;

namespace tidemark::ui {

class Banner;
class ComparePage;
class DataPage;
class NewRunPage;
class RunLauncher;
class RunPage;
class RunWatcher;
class RunsPage;
class SweepsPage;

struct WindowSettings {
  std::filesystem::path database;
  QString cli;                         // path of tidemark-cli
  Appearance appearance = Appearance::System;
};

class MainWindow : public QMainWindow {
  Q_OBJECT
 public:
  explicit MainWindow(const WindowSettings& settings, QWidget* parent = nullptr);
  ~MainWindow() override;

  void showRuns();
  void showNewRun();
  void showSweeps();
  void showData();
  void showCompare();
  void openRun(const QString& runId);
  void setAppearance(Appearance appearance);
  RunsPage* runsPage() const { return runsPage_; }
  NewRunPage* newRunPage() const { return newRunPage_; }
  RunPage* runPage() const { return runPage_; }
  SweepsPage* sweepsPage() const { return sweepsPage_; }
  DataPage* dataPage() const { return dataPage_; }
  ComparePage* comparePage() const { return comparePage_; }
  RunLauncher* launcher() const { return launcher_; }
  bool hasReadRuns() const { return hasReadRuns_; }
  const std::vector<storage::RunRecord>& runs() const { return runs_; }

 signals:
  void appearanceChosen(tidemark::ui::Appearance appearance);

 private:
  QWidget* makeAppearanceButton();
  void connectPages();
  void connectSweeps();
  void connectData();
  void takeRuns(const std::vector<storage::RunRecord>& runs);
  void copyRun(const storage::RunRecord& run);
  void compareRuns(const QStringList& runIds);
  void lookAtData(const run::RunConfig& config);
  void confirmDelete(const storage::RunRecord& run);
  void openReport(const QString& path);
  void takeScheme(ColorScheme scheme);
  void showPage(Sidebar::Page page);
  Banner* currentBanner() const;
  std::vector<Banner*> banners() const;

  ColorSchemeSource* colors_;  // first: the theme holds before any widget is made
  RunWatcher* watcher_;
  RunLauncher* launcher_;
  Sidebar* sidebar_;
  QStackedWidget* stack_;
  RunsPage* runsPage_;
  NewRunPage* newRunPage_;
  RunPage* runPage_;
  SweepsPage* sweepsPage_;
  DataPage* dataPage_;
  ComparePage* comparePage_;
  std::vector<storage::RunRecord> runs_;
  bool hasReadRuns_ = false;
};

}  // namespace tidemark::ui
