// Many runs over many quantities: one vertical axis for each setting and result, one line for each run through its values.
// Dragging along an axis keeps the runs that pass there; a click on it keeps all again. Pointing at a line (or the arrow
// keys) tells its run.
#pragma once

#include <QString>
#include <optional>
#include <string>
#include <vector>

#include "plots/measure.h"
#include "plots/pointed_plot.h"

class QCPGraph;
class QCPItemLine;
class QCPItemRect;
class QCPItemText;

namespace tidemark::plots {

struct ParallelAxis {
  QString label;
  Measure measure = Measure::Number;
  bool isLogarithmic = false;       // for positive values only
  bool isResult = false;            // its label stands out from the settings'
  std::vector<std::string> words;   // values that are no numbers, from below; a value is an index into these
};

struct ParallelLine {
  std::string name;
  int mark = 0;                               // see run_mark.h
  std::vector<std::optional<double>> values;  // one for each axis; none: the line has a gap
};

struct ParallelSeries {
  std::vector<ParallelAxis> axes;
  std::vector<ParallelLine> lines;
};

class ParallelPlot : public PointedPlot {
  Q_OBJECT
 public:
  explicit ParallelPlot(QWidget* parent = nullptr);

  // Brushes stay on axes of the same label.
  void setSeries(const ParallelSeries& series);
  const ParallelSeries& series() const { return series_; }
  // Keeps the lines whose place on the axis lies in [low, high], from 0 at the bottom to 1 at the top.
  void brush(int axis, double low, double high);
  void clearBrushes();
  bool isKept(int line) const;
  int keptCount() const;
  std::vector<LegendEntry> legend() const override;

 signals:
  void brushed();

 protected:
  void applyTheme(const PlotTheme& theme) override;
  int itemCount() const override;
  int itemAt(const QPoint& position) const override;
  Telling tell(int item) const override;
  void pointedChanged() override;
  void layOut() override;
  void keyPressEvent(QKeyEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  struct Brush {
    double low = 0, high = 1;
  };
  struct Column {  // what is drawn of one axis
    QCPItemLine* line;
    QCPItemRect* brush;
    QCPItemText* label;
    QCPItemText* top;
    QCPItemText* bottom;
  };
  void makeColumns();
  void fillGraphs();
  void measureAxes();
  void showBrushes();
  std::optional<double> placeOf(std::size_t axis, const ParallelLine& line) const;
  QString valueText(std::size_t axis, double value) const;
  int axisAt(double x) const;      // in pixels; -1: none is near
  double placeAt(double y) const;  // in pixels
  bool takeMouse(QEvent* event);

  ParallelSeries series_;
  std::vector<std::pair<double, double>> ranges_;  // of each axis, as drawn: logarithms where it is logarithmic
  std::vector<std::optional<Brush>> brushes_;
  std::vector<Column> columns_;
  std::vector<QCPGraph*> graphs_;
  int draggedAxis_ = -1;
  double dragBegin_ = 0;
};

}  // namespace tidemark::plots
