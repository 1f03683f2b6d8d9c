// Where the memory of a run goes: five figures, the memory over one iteration with a slider over the stored iterations, the
// activation of each operator, and the curves in small.
#pragma once

#include <QWidget>
#include <array>
#include <vector>

#include "ui/live/run_detail.h"

class QComboBox;
class QLabel;
class QSlider;

namespace tidemark::plots {
class CurvePlot;
class MemoryStackPlot;
class OperatorBarPlot;
struct PlotTheme;
}  // namespace tidemark::plots

namespace tidemark::ui {

class Card;
class FigureCard;

class MemoryTab : public QWidget {
  Q_OBJECT
 public:
  explicit MemoryTab(QWidget* parent = nullptr);

  void show(const RunDetail& detail, const std::vector<run::StepEvent>& steps);
  void setTheme(const plots::PlotTheme& theme);

 signals:
  void iterationWanted(qint64 iteration);  // -1: the newest, whatever comes
  void rankWanted(qint64 rank);

 private:
  Card* makeStackCard();
  void showSlider(const RunDetail& detail, int64_t iterationsDone);
  void showRanks(const RunDetail& detail);
  void sliderMoved(int position);

  std::array<FigureCard*, 5> figures_{};
  Card* stackCard_;
  plots::MemoryStackPlot* stack_;
  QSlider* slider_;
  QLabel* sliderText_;
  QComboBox* rank_;
  plots::OperatorBarPlot* bars_;
  plots::CurvePlot* curves_;
  std::vector<int64_t> iterations_;
};

}  // namespace tidemark::ui
