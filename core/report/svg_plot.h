// One plot as inline SVG: a frame with linear axes, ticks and labels, and marks in data coordinates. Knows no runs.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace tidemark::report {

struct PlotAxes {
  double xBegin = 0, xEnd = 1, yBegin = 0, yEnd = 1;
  std::string xLabel, yLabel;   // with units
  double yUnit = 1;             // tick labels show y / yUnit
  std::vector<std::pair<double, std::string>> xTicks;  // empty: round numbers
  int width = 880, height = 300;  // of the drawing; texts keep their size relative to these
  bool hasAbsoluteTicks = false;  // tick labels without their sign, where both directions are amounts
};

using PlotPoint = std::pair<double, double>;

class SvgPlot {
 public:
  SvgPlot(std::string title, PlotAxes axes);  // title: for screen readers

  // Colours are CSS colours of our own choice; texts are escaped here.
  void band(const std::vector<PlotPoint>& lower, const std::vector<PlotPoint>& upper, const std::string& color);
  void line(const std::vector<PlotPoint>& points, const std::string& color);
  void dots(const std::vector<PlotPoint>& points, const std::string& color);
  void bar(double xBegin, double xEnd, double yBegin, double yEnd, const std::string& color, double opacity,
           const std::string& tooltip);
  void horizontal(double y, const std::string& label);  // dashed, e.g. a budget
  void vertical(double x, const std::string& label);

  std::string svg() const;

 private:
  double px(double x) const;
  double py(double y) const;
  std::string path(const std::vector<PlotPoint>& points) const;
  std::string frame() const;

  std::string title_;
  PlotAxes axes_;
  std::string marks_, overlays_;
};

// Round tick positions that cover [begin, end]: steps of 1, 2 or 5 times a power of ten.
std::vector<double> roundTicks(double begin, double end, int count);

// At most two points (least and greatest) per pixel column, so that a day's run stays a small file.
std::vector<PlotPoint> decimated(const std::vector<PlotPoint>& points);

}  // namespace tidemark::report
