// The memory of one iteration, operator by operator, from forward over the turn to backward: the five spaces stacked under
// the budget line, with a cursor that the pointer and the arrow keys move.
#pragma once

#include <array>

#include "plots/pointed_plot.h"
#include "plots/series.h"

class QCPGraph;
class QCPItemLine;
class QCPItemText;

namespace tidemark::plots {

class MemoryStackPlot : public PointedPlot {
  Q_OBJECT
 public:
  explicit MemoryStackPlot(QWidget* parent = nullptr);

  void setSeries(const MemorySeries& series);
  const MemorySeries& series() const { return series_; }
  // -1: no cursor. Otherwise an index into series().moments.
  int cursor() const { return pointed(); }
  void setCursor(int moment) { point(moment); }
  QString unitName() const { return unitName_; }

  std::vector<LegendEntry> legend() const override { return spaceLegend(); }

 protected:
  void applyTheme(const PlotTheme& theme) override;
  int itemCount() const override;
  int itemAt(const QPoint& position) const override;
  Telling tell(int item) const override;
  void pointedChanged() override;
  void layOut() override;

 private:
  void fillGraphs();
  void layOutAxes();
  void placeMarks();

  MemorySeries series_;
  double divisor_ = 1;
  double top_ = 1;
  QString unitName_;
  std::array<QCPGraph*, 5> graphs_{};  // from the whole stack down to its lowest space; each drawn over the one before
  QCPItemLine* budgetLine_;
  QCPItemText* budgetText_;
  QCPItemLine* turnLine_;
  QCPItemLine* cursorLine_;
  std::array<QCPItemText*, 3> passTexts_{};  // forward, turn, backward
};

}  // namespace tidemark::plots
