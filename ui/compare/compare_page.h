// Runs side by side: what differs in their settings, their results, curves and memory. Not responsible for the list of runs:
// it is given the library, and reads what it needs of the chosen ones in a thread of its own.
#pragma once

#include <QWidget>
#include <filesystem>
#include <map>
#include <vector>

#include "ui/compare/breakdown_card.h"
#include "ui/compare/compare_reader.h"
#include "ui/compare/comparison.h"
#include "ui/shell/theme.h"

class QLabel;
class QPushButton;
class QStackedWidget;

namespace tidemark::ui {

class Banner;
class CompareTableCard;
class CurvesCard;
class RunChooser;

class ComparePage : public QWidget {
  Q_OBJECT
 public:
  explicit ComparePage(const std::filesystem::path& database, QWidget* parent = nullptr);

  void setRuns(const std::vector<storage::RunRecord>& runs);  // the library, newest first
  void choose(const QStringList& runIds);                     // instead of those chosen before
  QStringList chosen() const;
  bool isUpToDate() const { return shownGeneration_ == generation_; }  // what was chosen is read and drawn
  void showView(BreakdownCard::View view) { breakdown_->showView(view); }
  void setTheme(ColorScheme scheme);
  Banner* banner() const { return banner_; }

 signals:
  void openWanted(const QString& runId);

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  struct Choice {
    QString runId;
    int mark;  // stays while the run is chosen, so that no other run's colour changes
  };
  QWidget* makeHeader();
  QWidget* makeContent();
  QWidget* makeEmptyState();
  void add(const QString& runId);
  void remove(const QString& runId);
  void choiceChanged();
  void readSoon();
  void read();
  void take(const CompareReading& reading);
  void showWarnings(const Comparison& comparison);
  void showHeader();

  std::vector<storage::RunRecord> library_;
  std::vector<Choice> choices_;
  CompareReader reader_;
  quint64 generation_ = 0, shownGeneration_ = 0;
  bool isReading_ = false, isReadingDue_ = false;
  Banner* banner_;
  Banner* warning_;
  QString warned_;  // told already: put away, it stays away until it changes
  QLabel* heading_;
  QPushButton* chooseButton_;
  RunChooser* chooser_;
  QStackedWidget* content_;
  QLabel* emptyHeading_;
  CompareTableCard* table_;
  CurvesCard* curves_;
  BreakdownCard* breakdown_;
};

}  // namespace tidemark::ui
