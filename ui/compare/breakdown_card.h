// What lies behind the curves, one view at a time: the peak by component, the activation of each operator, and any setting
// against any result.
#pragma once

#include "ui/compare/compare_series.h"
#include "ui/widgets/card.h"

class QComboBox;
class QStackedWidget;
class QTabBar;

namespace tidemark::ui {

struct Comparison;
struct PlotPicture;

class BreakdownCard : public Card {
  Q_OBJECT
 public:
  enum class View { PeakMemory, Activation, Scatter };
  explicit BreakdownCard(QWidget* parent = nullptr);

  void show(const Comparison& comparison, const std::vector<int>& marks);
  void showView(View view);
  void setTheme(const plots::PlotTheme& theme);
  // Writes the plot as it is shown.
  Status save(const QString& path);

 signals:
  void saveWanted(const QString& suggestedName);

 private:
  QWidget* makePeakView();
  QWidget* makeScatterView();
  void offerSettings(const Comparison& comparison);
  void showScatter();
  plots::PlotFrame* shownPlot() const;
  PlotPicture picture() const;

  ComparedRuns runs_;
  std::vector<int> marks_;
  QTabBar* tabs_;
  QStackedWidget* views_;
  plots::PeakBarPlot* peaks_;
  plots::OverlayPlot* activations_;
  plots::ScatterPlot* scatter_;
  QComboBox* setting_;
  QComboBox* result_;
};

}  // namespace tidemark::ui
