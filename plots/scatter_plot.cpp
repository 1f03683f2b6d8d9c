#include "plots/scatter_plot.h"

#include <algorithm>
#include <cmath>

#include "plots/curve_drawing.h"
#include "plots/run_mark.h"

namespace tidemark::plots {
namespace {

constexpr double kReachPx = 18;

}  // namespace

ScatterPlot::ScatterPlot(QWidget* parent) : PointedPlot(parent) {
  setAccessibleName(tr("A setting against a result"));
  setTheme(theme());
  setSeries({});
}

void ScatterPlot::setSeries(const ScatterSeries& series) {
  series_ = series;
  if (graphs_.size() != series_.points.size()) {
    plot()->clearGraphs();
    graphs_.clear();
    for (std::size_t i = 0; i < series_.points.size(); ++i) {
      graphs_.push_back(plot()->addGraph());
      graphs_.back()->setLineStyle(QCPGraph::lsNone);
    }
  }
  fitAxes();
  for (std::size_t i = 0; i < graphs_.size(); ++i) {
    fill(graphs_[i], {{series_.points[i].x, series_.points[i].y}}, {xUnit_.divisor, yUnit_.divisor});
  }
  applyTheme(theme());
  itemsChanged(tr("%1 against %2, %3 runs. Arrow keys move from one to the next.")
                   .arg(series_.yLabel, series_.xLabel).arg(series_.points.size()));
  replotSoon();
}

void ScatterPlot::fitAxes() {
  Extent x, y;
  for (const ScatterPoint& point : series_.points) {
    x.include(point.x);
    y.include(point.y);
  }
  if (!series_.words.empty()) x = {-0.5, static_cast<double>(series_.words.size()) - 0.5};
  if (x.isEmpty()) x = {0, 1};
  if (y.isEmpty()) y = {0, 1};
  xUnit_ = series_.words.empty() ? axisUnitFor(series_.xMeasure, x.high) : AxisUnit{};
  yUnit_ = axisUnitFor(series_.yMeasure, y.high);
  const double up = std::max((y.high - y.low) * 0.12, std::abs(y.high) * 0.01 + 1e-12);
  plot()->yAxis->setRange((y.low - up) / yUnit_.divisor, (y.high + up) / yUnit_.divisor);
  if (series_.isLogarithmic) {
    const double factor = std::pow(x.high / x.low, 0.08) * 1.05;
    plot()->xAxis->setRange(x.low / factor / xUnit_.divisor, x.high * factor / xUnit_.divisor);
  } else {
    const double side = series_.words.empty() ? std::max((x.high - x.low) * 0.08, std::abs(x.high) * 0.05 + 1e-12) : 0;
    plot()->xAxis->setRange((x.low - side) / xUnit_.divisor, (x.high + side) / xUnit_.divisor);
  }
  plot()->xAxis->setScaleType(series_.isLogarithmic ? QCPAxis::stLogarithmic : QCPAxis::stLinear);
  const auto label = [](const QString& text, const QString& unit) { return unit.isEmpty() ? text : tr("%1, %2").arg(text, unit); };
  plot()->xAxis->setLabel(label(series_.xLabel, xUnit_.name));
  plot()->yAxis->setLabel(label(series_.yLabel, yUnit_.name));
  layOut();
}

void ScatterPlot::layOut() {
  plot()->yAxis->setTicker(tickerFor(series_.yMeasure));
  // A word such as "1e5" is no number: it must not be drawn as a power.
  plot()->xAxis->setNumberFormat(series_.words.empty() ? QStringLiteral("gb") : QStringLiteral("g"));
  if (series_.words.empty() && series_.isLogarithmic) {
    plot()->xAxis->setTicker(QSharedPointer<QCPAxisTicker>(new QCPAxisTickerLog));
  } else if (series_.words.empty()) {
    plot()->xAxis->setTicker(tickerFor(series_.xMeasure));
  } else {
    QSharedPointer<QCPAxisTickerText> ticker(new QCPAxisTickerText);
    QFont small = font();
    small.setPixelSize(12);
    const int room = std::max(30, plot()->axisRect()->width() / static_cast<int>(series_.words.size()) - 8);
    for (std::size_t i = 0; i < series_.words.size(); ++i) {
      const QString word = QString::fromStdString(series_.words[i]).simplified();
      ticker->addTick(static_cast<double>(i), QFontMetrics(small).elidedText(word, Qt::ElideMiddle, room));
    }
    plot()->xAxis->setTicker(ticker);
  }
}

void ScatterPlot::applyTheme(const PlotTheme& theme) {
  for (std::size_t i = 0; i < graphs_.size(); ++i) {
    const int mark = series_.points[i].mark;
    const bool standsOut = static_cast<int>(i) == pointed();
    graphs_[i]->setScatterStyle(markerOf(mark, standsOut ? theme.text : theme.background, runColor(mark, theme), standsOut ? 14 : 11));
  }
  styleAxis(plot()->xAxis, theme.muted);
  styleAxis(plot()->yAxis, theme.muted);
}

QPointF ScatterPlot::pixelOf(const ScatterPoint& point) const {
  return {plot()->xAxis->coordToPixel(point.x / xUnit_.divisor), plot()->yAxis->coordToPixel(point.y / yUnit_.divisor)};
}

int ScatterPlot::itemCount() const { return static_cast<int>(series_.points.size()); }

void ScatterPlot::pointedChanged() { applyTheme(theme()); }

PointedPlot::Telling ScatterPlot::tell(int item) const {
  const ScatterPoint& chosen = series_.points[static_cast<std::size_t>(item)];
  const QString across = series_.words.empty() ? measureText(series_.xMeasure, chosen.x)
                                               : QString::fromStdString(series_.words[static_cast<std::size_t>(chosen.x)]).simplified();
  const auto shortened = [this](const QString& text) { return fontMetrics().elidedText(text, Qt::ElideMiddle, 220); };
  return {{{shortened(QString::fromStdString(chosen.name).simplified()), QString()},
           {series_.xLabel, shortened(across)},
           {series_.yLabel, measureText(series_.yMeasure, chosen.y)}},
          pixelOf(chosen).toPoint()};
}

int ScatterPlot::itemAt(const QPoint& position) const {
  int nearest = -1;
  double least = kReachPx;
  for (std::size_t i = 0; i < series_.points.size(); ++i) {
    const double distance = QLineF(pixelOf(series_.points[i]), position).length();
    if (distance >= least) continue;
    least = distance;
    nearest = static_cast<int>(i);
  }
  return nearest;
}

std::vector<LegendEntry> ScatterPlot::legend() const {
  std::vector<LegendEntry> legend;
  for (const ScatterPoint& point : series_.points)
    legend.push_back({QString::fromStdString(point.name).simplified(), runColor(point.mark, PlotTheme::light()), runShape(point.mark)});
  return legend;
}

}  // namespace tidemark::plots
