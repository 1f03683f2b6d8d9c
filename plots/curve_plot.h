// Loss and throughput over steps on two axes, raw values faint and a smoothed line over them. Long curves are decimated to
// what the width can show without losing an extreme.
#pragma once

#include "plots/pointed_plot.h"
#include "plots/series.h"

class QCPGraph;
class QCPItemLine;

namespace tidemark::plots {

struct CurveSeries {
  Curve loss;            // over training steps
  Curve evaluationLoss;  // markers
  Curve throughput;      // tokens per second
};

class CurvePlot : public PointedPlot {
  Q_OBJECT
 public:
  explicit CurvePlot(QWidget* parent = nullptr);

  void setSeries(const CurveSeries& series);
  void setSmoothing(double weight);  // 0 to 0.99
  double smoothing() const { return smoothing_; }
  // Points drawn for the raw loss, after decimation.
  int drawnLossPoints() const;

  std::vector<LegendEntry> legend() const override;

 protected:
  void applyTheme(const PlotTheme& theme) override;
  int itemCount() const override;
  int itemAt(const QPoint& position) const override;
  Telling tell(int item) const override;
  void pointedChanged() override;
  void layOut() override;

 private:
  void fillGraphs();
  void fitAxes();

  CurveSeries series_;
  double smoothing_ = 0.6;
  QCPGraph* rawLoss_;
  QCPGraph* loss_;
  QCPGraph* evaluation_;
  QCPGraph* throughput_;
  QCPItemLine* cursorLine_;
};

}  // namespace tidemark::plots
