// What lies behind the curves, one view at a time: the peak by component, the activation of each operator, and any setting
// against any result.
#pragma once

#include "ui/compare/compare_series.h"
#include "ui/widgets/card.h"

class QComboBox;
class QLabel;
class QStackedLayout;
class QStackedWidget;
class QTabBar;
class QTableView;
class QToolButton;

namespace tidemark::plots {
class ParallelPlot;
}

namespace tidemark::ui {

class SampleTableModel;
struct Comparison;

class BreakdownCard : public Card {
  Q_OBJECT
 public:
  enum class View { PeakMemory, Activation, Scatter, Parallel, Samples };
  explicit BreakdownCard(QWidget* parent = nullptr);

  void show(const Comparison& comparison, const std::vector<int>& marks);
  void showView(View view);
  void setTheme(const plots::PlotTheme& theme);

 private:
  QWidget* makePeakView();
  QWidget* makeScatterView();
  QWidget* makeParallelView();
  QWidget* makeSampleView();
  void showKept();
  void offerSettings(const Comparison& comparison);
  void showScatter();
  plots::PlotFrame* shownPlot() const;

  ComparedRuns runs_;
  std::vector<int> marks_;
  QTabBar* tabs_;
  QStackedWidget* views_;
  plots::PeakBarPlot* peaks_;
  plots::OverlayPlot* activations_;
  plots::ScatterPlot* scatter_;
  plots::ParallelPlot* parallel_;
  QLabel* kept_;
  QToolButton* clear_;
  SampleTableModel* samples_;
  QStackedLayout* sampleStack_;
  QToolButton* save_;
  QComboBox* setting_;
  QComboBox* result_;
};

}  // namespace tidemark::ui
