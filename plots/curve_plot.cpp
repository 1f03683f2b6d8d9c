#include "plots/curve_plot.h"

#include <algorithm>
#include <cmath>

#include "plots/curve_drawing.h"
#include "plots/decimate.h"
#include "plots/quantity.h"

namespace tidemark::plots {

CurvePlot::CurvePlot(QWidget* parent) : PointedPlot(parent) {
  plot()->yAxis2->setVisible(true);
  plot()->yAxis2->grid()->setVisible(false);
  throughput_ = plot()->addGraph(plot()->xAxis, plot()->yAxis2);
  rawLoss_ = plot()->addGraph();
  loss_ = plot()->addGraph();
  evaluation_ = plot()->addGraph();
  evaluation_->setLineStyle(QCPGraph::lsNone);
  cursorLine_ = new QCPItemLine(plot());
  cursorLine_->setVisible(false);
  plot()->xAxis->setLabel(tr("step"));
  plot()->yAxis->setLabel(tr("loss"));
  plot()->yAxis2->setLabel(tr("tokens/s"));
  plot()->xAxis->grid()->setVisible(false);
  plot()->xAxis->setTicker(tickerFor(Measure::Whole));
  setAccessibleName(tr("Loss and throughput"));
  setTheme(theme());
  setSeries({});
}

void CurvePlot::setSeries(const CurveSeries& series) {
  series_ = series;
  fillGraphs();
  fitAxes();
  itemsChanged(series_.loss.empty() ? tr("No step finished yet")
                                    : tr("Loss %1 at step %2. Arrow keys move from step to step.")
                                          .arg(decimalText(series_.loss.back().y, 4), countText(series_.loss.back().x)));
  replotSoon();
}

void CurvePlot::setSmoothing(double weight) {
  smoothing_ = std::clamp(weight, 0.0, 0.99);
  fillGraphs();
  replotSoon();
}

void CurvePlot::fillGraphs() {
  const std::size_t buckets = static_cast<std::size_t>(std::max(100, plot()->width()));
  fill(rawLoss_, decimate(series_.loss, buckets));
  fill(loss_, decimate(smooth(series_.loss, smoothing_), buckets));
  fill(throughput_, decimate(smooth(series_.throughput, smoothing_), buckets));
  fill(evaluation_, series_.evaluationLoss);
}

void CurvePlot::fitAxes() {
  Extent loss, speed;
  loss.include(series_.loss);
  loss.include(series_.evaluationLoss);
  speed.include(series_.throughput);
  double right = 1;
  if (!series_.loss.empty()) right = std::max(right, series_.loss.back().x);
  plot()->xAxis->setRange(-0.012 * right, right * 1.012);  // room for the first and the last marker
  if (loss.isEmpty()) loss = {0, 1};
  const double margin = std::max((loss.high - loss.low) * 0.06, std::abs(loss.high) * 1e-3);
  plot()->yAxis->setRange(loss.low - margin, loss.high + margin);
  plot()->yAxis2->setRange(0, speed.isEmpty() || speed.high <= 0 ? 1 : speed.high * 1.15);
}

void CurvePlot::applyTheme(const PlotTheme& theme) {
  QColor faint = theme.accent;
  faint.setAlpha(80);
  rawLoss_->setPen(QPen(faint, 1));
  loss_->setPen(QPen(theme.accent, 2));
  evaluation_->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssDiamond, QPen(theme.accent, 1.5), theme.background, 9));
  throughput_->setPen(QPen(theme.second, 1.5, Qt::DashLine));
  styleAxis(plot()->xAxis, theme.muted);
  styleAxis(plot()->yAxis, theme.accent);
  styleAxis(plot()->yAxis2, theme.second);
  cursorLine_->setPen(QPen(theme.muted, 1));
}

int CurvePlot::drawnLossPoints() const { return rawLoss_->dataCount(); }

int CurvePlot::itemCount() const { return static_cast<int>(series_.loss.size()); }

PointedPlot::Telling CurvePlot::tell(int item) const {
  const CurvePoint& point = series_.loss[static_cast<std::size_t>(item)];
  HoverCard::Rows rows{{tr("step"), countText(point.x)}, {tr("loss"), decimalText(point.y, 4)}};
  const double evaluation = valueAt(series_.evaluationLoss, point.x);
  if (std::isfinite(evaluation)) rows.emplaceBack(tr("last evaluation loss"), decimalText(evaluation, 4));
  const double speed = valueAt(series_.throughput, point.x);
  if (std::isfinite(speed)) rows.emplaceBack(tr("throughput"), tr("%1 tokens/s").arg(decimalText(speed, 3)));
  const int x = static_cast<int>(plot()->xAxis->coordToPixel(point.x));
  return {rows, QPoint(x, plot()->axisRect()->top() + 8)};
}

void CurvePlot::pointedChanged() {
  cursorLine_->setVisible(pointed() >= 0);
  if (pointed() < 0) return;
  const double x = series_.loss[static_cast<std::size_t>(pointed())].x;
  cursorLine_->start->setCoords(x, plot()->yAxis->range().lower);
  cursorLine_->end->setCoords(x, plot()->yAxis->range().upper);
}

int CurvePlot::itemAt(const QPoint& position) const {
  if (series_.loss.empty() || !plot()->axisRect()->rect().contains(position)) return -1;
  const double x = plot()->xAxis->pixelToCoord(position.x());
  auto nearest = std::lower_bound(series_.loss.begin(), series_.loss.end(), x,
                                  [](const CurvePoint& point, double wanted) { return point.x < wanted; });
  if (nearest == series_.loss.end()) --nearest;
  if (nearest != series_.loss.begin() && x - std::prev(nearest)->x < nearest->x - x) --nearest;
  return static_cast<int>(nearest - series_.loss.begin());
}

void CurvePlot::layOut() { fillGraphs(); }

std::vector<LegendEntry> CurvePlot::legend() const {
  const PlotTheme light = PlotTheme::light();
  std::vector<LegendEntry> legend{{tr("loss"), light.accent}, {tr("tokens per second, dashed"), light.second}};
  if (!series_.evaluationLoss.empty()) legend.push_back({tr("evaluation loss"), light.accent, MarkShape::Diamond});
  return legend;
}

}  // namespace tidemark::plots
