// How many rows have which length, with a line at the limit: bars beyond it are hatched in the warning colour. Pointing at a
// bar (or the arrow keys) tells its figures.
#pragma once

#include "plots/pointed_plot.h"
#include "plots/series.h"

class QCPBars;
class QCPItemLine;
class QCPItemText;

namespace tidemark::plots {

class LengthHistogram : public PointedPlot {
  Q_OBJECT
 public:
  explicit LengthHistogram(QWidget* parent = nullptr);

  void setSeries(const LengthSeries& series);
  const LengthSeries& series() const { return series_; }
  int highlight() const { return pointed(); }  // -1: none
  QString limitText() const;

  std::vector<LegendEntry> legend() const override;

 protected:
  void applyTheme(const PlotTheme& theme) override;
  int itemCount() const override;
  int itemAt(const QPoint& position) const override;
  Telling tell(int item) const override;
  void layOut() override;

 private:
  void fillBars();
  void placeLimit();

  LengthSeries series_;
  QCPBars* within_;
  QCPBars* beyond_;
  QCPItemLine* limitLine_;
  QCPItemText* limitText_;
};

}  // namespace tidemark::plots
