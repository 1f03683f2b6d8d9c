// The memory of one iteration, operator by operator, from forward over the turn to backward: the five spaces stacked under
// the budget line, with a cursor that the pointer and the arrow keys move.
#pragma once

#include <array>

#include "plots/plot_frame.h"
#include "plots/series.h"

class QCPGraph;
class QCPItemLine;
class QCPItemText;

namespace tidemark::plots {

class MemoryStackPlot : public PlotFrame {
  Q_OBJECT
 public:
  explicit MemoryStackPlot(QWidget* parent = nullptr);

  void setSeries(const MemorySeries& series);
  const MemorySeries& series() const { return series_; }
  // -1: no cursor. Otherwise an index into series().moments.
  int cursor() const { return cursor_; }
  void setCursor(int moment);
  QString unitName() const { return unitName_; }
  QString cardText() const;

 signals:
  void cursorMoved(int moment);

 protected:
  void applyTheme(const PlotTheme& theme) override;
  void pointerMoved(const QPoint& position) override;
  void pointerLeft() override;
  void keyPressEvent(QKeyEvent* event) override;
  void layOut() override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  void fillGraphs();
  void layOutAxes();
  void placeMarks();
  void showCard();

  MemorySeries series_;
  int cursor_ = -1;
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
