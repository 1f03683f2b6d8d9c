// Loss and throughput in large, with smoothing, and the evaluations in words.
#pragma once

#include <QWidget>
#include <vector>

#include "ui/live/run_detail.h"

class QLabel;
class QSlider;

namespace tidemark::plots {
class CurvePlot;
struct PlotTheme;
}  // namespace tidemark::plots

namespace tidemark::ui {

class Card;

class LearningTab : public QWidget {
  Q_OBJECT
 public:
  explicit LearningTab(QWidget* parent = nullptr);
  void show(const RunDetail& detail, const std::vector<run::StepEvent>& steps);
  void setTheme(const plots::PlotTheme& theme);

 private:
  Card* card_;
  plots::CurvePlot* curves_;
  QSlider* smoothing_;
  QLabel* smoothingText_;
  QLabel* data_;
  QLabel* evaluations_;
};

}  // namespace tidemark::ui
