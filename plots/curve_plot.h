// Loss and throughput over steps on two axes, raw values faint and a smoothed line over them. Long curves are decimated to
// what the width can show without losing an extreme.
#pragma once

#include "plots/plot_frame.h"
#include "plots/series.h"

class QCPGraph;
class QCPItemLine;

namespace tidemark::plots {

struct CurveSeries {
  Curve loss;            // over training steps
  Curve evaluationLoss;  // markers
  Curve throughput;      // tokens per second
};

class CurvePlot : public PlotFrame {
  Q_OBJECT
 public:
  explicit CurvePlot(QWidget* parent = nullptr);

  void setSeries(const CurveSeries& series);
  void setSmoothing(double weight);  // 0 to 0.99
  double smoothing() const { return smoothing_; }
  QString cardText() const;
  // Points drawn for the raw loss, after decimation.
  int drawnLossPoints() const;

 protected:
  void applyTheme(const PlotTheme& theme) override;
  void pointerMoved(const QPoint& position) override;
  void pointerLeft() override;
  void keyPressEvent(QKeyEvent* event) override;
  void layOut() override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  void fillGraphs();
  void fitAxes();
  void showCard(int index);

  CurveSeries series_;
  double smoothing_ = 0.6;
  int pointed_ = -1;  // index into series_.loss
  QCPGraph* rawLoss_;
  QCPGraph* loss_;
  QCPGraph* evaluation_;
  QCPGraph* throughput_;
  QCPItemLine* cursorLine_;
};

}  // namespace tidemark::plots
