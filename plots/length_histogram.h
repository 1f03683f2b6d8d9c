// How many rows have which length, with a line at the limit: bars beyond it are hatched in the warning colour. Pointing at a
// bar (or the arrow keys) tells its figures.
#pragma once

#include "plots/plot_frame.h"
#include "plots/series.h"

class QCPBars;
class QCPItemLine;
class QCPItemText;

namespace tidemark::plots {

class LengthHistogram : public PlotFrame {
  Q_OBJECT
 public:
  explicit LengthHistogram(QWidget* parent = nullptr);

  void setSeries(const LengthSeries& series);
  const LengthSeries& series() const { return series_; }
  int highlight() const { return highlight_; }  // -1: none
  QString cardText() const;
  QString limitText() const;

 protected:
  void applyTheme(const PlotTheme& theme) override;
  void pointerMoved(const QPoint& position) override;
  void pointerLeft() override;
  void keyPressEvent(QKeyEvent* event) override;
  void layOut() override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  void fillBars();
  void placeLimit();
  void setHighlight(int index);
  void showCard();

  LengthSeries series_;
  int highlight_ = -1;
  QCPBars* within_;
  QCPBars* beyond_;
  QCPItemLine* limitLine_;
  QCPItemText* limitText_;
};

}  // namespace tidemark::plots
