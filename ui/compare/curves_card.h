// The runs' curves over each other, with a choice of what is drawn, over what, and how smooth.
#pragma once

#include "ui/compare/compare_series.h"
#include "ui/widgets/card.h"

class QComboBox;
class QSlider;

namespace tidemark::ui {


class CurvesCard : public Card {
  Q_OBJECT
 public:
  explicit CurvesCard(QWidget* parent = nullptr);

  void show(const ComparedRuns& runs, const std::vector<int>& marks);
  void setTheme(const plots::PlotTheme& theme);

 private:
  void makeTools();
  QWidget* makeSmoothing();
  void showCurves();

  ComparedRuns runs_;
  std::vector<int> marks_;
  QComboBox* what_;
  QComboBox* over_;
  QSlider* smoothing_;
  QLabel* smoothingText_;
  plots::OverlayPlot* plot_;
};

}  // namespace tidemark::ui
