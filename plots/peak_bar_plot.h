// The peak memory of several runs as horizontal bars, each stacked by the spaces, under the run's name and mark. Pointing at
// a bar (or the arrow keys) tells its parts.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "plots/pointed_plot.h"
#include "plots/plot_theme.h"

class QCPBars;
class QCPItemLine;
class QCPItemText;

namespace tidemark::plots {

struct PeakBar {
  std::string name;
  int mark = 0;             // see run_mark.h
  bool isMeasured = false;  // otherwise nothing is known of its parts yet
  double trainable = 0, staticCache = 0, dynamicCache = 0, activation = 0, workspace = 0;  // bytes
  double budget = 0;        // bytes; 0: none
};

class PeakBarPlot : public PointedPlot {
  Q_OBJECT
 public:
  explicit PeakBarPlot(QWidget* parent = nullptr);

  void setBars(const std::vector<PeakBar>& bars);
  const std::vector<PeakBar>& bars() const { return bars_; }

  std::vector<LegendEntry> legend() const override { return spaceLegend(); }

 protected:
  void applyTheme(const PlotTheme& theme) override;
  int itemCount() const override;
  int itemAt(const QPoint& position) const override;
  Telling tell(int item) const override;
  void pointedChanged() override;
  Qt::Orientation direction() const override { return Qt::Vertical; }
  void layOut() override;

 private:
  struct Row {
    QCPItemText* mark;
    QCPItemText* name;
    QCPItemText* total;
    QCPItemLine* budget;
  };
  void makeRows();
  void fillBars();
  void placeTexts();

  std::vector<PeakBar> bars_;
  std::array<QCPBars*, 5> parts_{};  // from the axis outwards
  std::vector<Row> rows_;
  double divisor_ = 1;
};

}  // namespace tidemark::plots
