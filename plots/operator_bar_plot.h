// Activation bytes per operator: kept in forward as bars upwards, freed in backward downwards. Pointing at a bar (or the
// arrow keys) tells its operator; one operator can be highlighted from outside.
#pragma once

#include <vector>

#include "plots/pointed_plot.h"
#include "plots/series.h"

class QCPBars;
class QCPItemRect;
class QCPItemText;

namespace tidemark::plots {

class OperatorBarPlot : public PointedPlot {
  Q_OBJECT
 public:
  explicit OperatorBarPlot(QWidget* parent = nullptr);

  void setBars(const std::vector<OperatorBar>& bars);
  const std::vector<OperatorBar>& bars() const { return bars_; }
  void setHighlight(int index);  // -1: none
  int highlight() const { return highlight_; }

  std::vector<LegendEntry> legend() const override;

 protected:
  void applyTheme(const PlotTheme& theme) override;
  int itemCount() const override;
  int itemAt(const QPoint& position) const override;
  Telling tell(int item) const override;
  void pointedChanged() override;

 private:
  std::vector<OperatorBar> bars_;
  int highlight_ = -1;
  double divisor_ = 1;
  QCPBars* kept_;
  QCPBars* recomputed_;
  QCPBars* freed_;
  QCPItemRect* mark_;
  QCPItemText* upText_;
  QCPItemText* downText_;
  QCPItemText* largestText_;
};

}  // namespace tidemark::plots
