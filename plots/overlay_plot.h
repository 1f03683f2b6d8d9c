// Curves of several runs over one pair of axes, each in its run's colour. Smoothed curves keep what was measured faint
// behind them; long ones are decimated to what the width can show without losing an extreme. The pointer and the arrow keys
// read all curves at one place, and one of them stands out.
#pragma once

#include <QPen>
#include <QString>
#include <string>
#include <vector>

#include "plots/measure.h"
#include "plots/plot_frame.h"
#include "plots/series.h"

class QCPGraph;
class QCPItemLine;

namespace tidemark::plots {

struct OverlayCurve {
  std::string name;
  int mark = 0;  // see run_mark.h
  Curve points;  // sorted by x
  QColor color = {};  // one that means something by itself; invalid: that of the mark
};

struct OverlaySeries {
  enum class Style { Line, Points, Stairs };  // Points: few, each with its marker; Stairs: one level for each x
  QString xLabel, yLabel;
  Measure xMeasure = Measure::Whole, yMeasure = Measure::Number;
  Style style = Style::Line;
  bool beginsAtZero = false;        // the y axis
  std::vector<std::string> xNames;  // of x = 0, 1, ...; empty: numbers tell enough
  std::vector<OverlayCurve> curves;
};

class OverlayPlot : public PlotFrame {
  Q_OBJECT
 public:
  explicit OverlayPlot(QWidget* parent = nullptr);

  void setSeries(const OverlaySeries& series);
  const OverlaySeries& series() const { return series_; }
  void setSmoothing(double weight);  // 0 to 0.99; curves in the style Line only
  double smoothing() const { return smoothing_; }
  QString cardText() const;
  // Curves that lie on each other are drawn as dashes of all their colours in turn. How many lie on this one, itself included.
  int coinciding(int curve) const { return overlaps_[static_cast<std::size_t>(curve)].count; }
  int drawnPoints() const;  // over all curves and their faint ones, after decimation

  std::vector<LegendEntry> legend() const override;

 protected:
  void applyTheme(const PlotTheme& theme) override;
  void pointerMoved(const QPoint& position) override;
  void pointerLeft() override;
  void keyPressEvent(QKeyEvent* event) override;
  void layOut() override;

 private:
  struct Overlap {  // with the curves that lie on this one: how many, and which of them it is
    int count = 1, place = 0;
  };
  bool isSmoothed() const { return smoothing_ > 0 && series_.style == OverlaySeries::Style::Line; }
  void makeGraphs();
  void findOverlaps();
  QPen penOf(const QColor& color, double width, std::size_t curve) const;
  void fillGraphs();
  void fitAxes();
  void point(double x, int curve);
  void pointAtKey(int key);
  void showCard();
  int curveNear(double x, double y) const;  // y in pixels
  double neighbour(double x, int direction) const;

  OverlaySeries series_;
  double smoothing_ = 0;
  AxisUnit xUnit_, yUnit_;
  double pointedX_ = 0;
  int pointed_ = -1;  // index into series_.curves
  std::vector<QCPGraph*> faint_, strong_;
  std::vector<Overlap> overlaps_;
  QCPItemLine* cursorLine_;
};

}  // namespace tidemark::plots
