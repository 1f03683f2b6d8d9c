// One run as it stands: header with progress and actions, and the tabs Memory, Operators, Learning and Log. Draws what it is
// given; wishes for other ranks and iterations by signal.
#pragma once

#include <QWidget>
#include <vector>

#include "ui/live/run_detail.h"
#include "ui/shell/theme.h"

class QLabel;
class QProgressBar;
class QPushButton;
class QStackedWidget;
class QTabBar;

namespace tidemark::ui {

class Banner;
class LearningTab;
class LogTab;
class MemoryTab;
class OperatorsTab;

class RunPage : public QWidget {
  Q_OBJECT
 public:
  enum class Tab { Memory, Operators, Learning, Log };
  explicit RunPage(QWidget* parent = nullptr);

  // Shows this run from now on; older details are ignored.
  void open(const QString& runId);
  QString runId() const { return QString::fromStdString(wish_.runId); }
  void setDetail(const RunDetail& detail);
  bool hasDetail() const { return hasDetail_; }
  void setTheme(ColorScheme scheme);
  void showTab(Tab tab);
  Banner* banner() const { return banner_; }
  const RunDetail& detail() const { return detail_; }
  const std::vector<run::StepEvent>& steps() const { return steps_; }

 signals:
  void wished(const tidemark::ui::RunWish& wish);
  void stopWanted(const tidemark::storage::RunRecord& run);
  void resumeWanted(const tidemark::storage::RunRecord& run);
  void reportWanted(const tidemark::storage::RunRecord& run);

 private:
  QWidget* makeHeader();
  QWidget* makeProgressRow();
  void showHeader();
  void showEnd();
  void wishAgain();

  RunWish wish_;
  RunDetail detail_;
  std::vector<run::StepEvent> steps_;
  bool hasDetail_ = false;
  QString endShown_;  // the run and outcome whose message was shown: a banner that was put away stays away
  QLabel* name_;
  QLabel* subtitle_;
  QLabel* progressText_;
  QProgressBar* progress_;
  QPushButton* stop_;
  QPushButton* resume_;
  QPushButton* report_;
  Banner* banner_;
  QTabBar* tabs_;
  QStackedWidget* stack_;
  MemoryTab* memory_;
  OperatorsTab* operators_;
  LearningTab* learning_;
  LogTab* log_;
};

}  // namespace tidemark::ui
