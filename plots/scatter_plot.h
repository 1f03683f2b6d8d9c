// One point for each of several runs: a setting across, a result upwards. Settings that are words stand side by side.
#pragma once

#include <QString>
#include <string>
#include <vector>

#include "plots/measure.h"
#include "plots/pointed_plot.h"

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

class ScatterPlot : public PointedPlot {
  Q_OBJECT
 public:
  explicit ScatterPlot(QWidget* parent = nullptr);

  void setSeries(const ScatterSeries& series);
  const ScatterSeries& series() const { return series_; }

  std::vector<LegendEntry> legend() const override;

 protected:
  void applyTheme(const PlotTheme& theme) override;
  int itemCount() const override;
  int itemAt(const QPoint& position) const override;
  Telling tell(int item) const override;
  void pointedChanged() override;
  void layOut() override;

 private:
  void fitAxes();
  QPointF pixelOf(const ScatterPoint& point) const;

  ScatterSeries series_;
  AxisUnit xUnit_, yUnit_;
  std::vector<QCPGraph*> graphs_;
};

}  // namespace tidemark::plots
