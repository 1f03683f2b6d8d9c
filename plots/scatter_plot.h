// One point for each of several runs: a setting across, a result upwards. Settings that are words stand side by side.
#pragma once

#include <QString>
#include <string>
#include <vector>

#include "plots/measure.h"
#include "plots/plot_frame.h"

class QCPGraph;

namespace tidemark::plots {

struct ScatterPoint {
  std::string name;
  int mark = 0;          // see run_mark.h
  double x = 0, y = 0;   // x: an index into the words where there are any
};

struct ScatterSeries {
  QString xLabel, yLabel;
  Measure xMeasure = Measure::Number, yMeasure = Measure::Number;
  bool isLogarithmic = false;      // the x axis; for positive values only
  std::vector<std::string> words;  // the values across, where they are not numbers
  std::vector<ScatterPoint> points;
};

class ScatterPlot : public PlotFrame {
  Q_OBJECT
 public:
  explicit ScatterPlot(QWidget* parent = nullptr);

  void setSeries(const ScatterSeries& series);
  const ScatterSeries& series() const { return series_; }
  QString cardText() const;

 protected:
  void applyTheme(const PlotTheme& theme) override;
  void pointerMoved(const QPoint& position) override;
  void pointerLeft() override;
  void keyPressEvent(QKeyEvent* event) override;
  void layOut() override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  void fitAxes();
  void point(int index);
  QPointF pixelOf(const ScatterPoint& point) const;

  ScatterSeries series_;
  AxisUnit xUnit_, yUnit_;
  std::vector<QCPGraph*> graphs_;
  int pointed_ = -1;
};

}  // namespace tidemark::plots
