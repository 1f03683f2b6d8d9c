#include "plots/scatter_plot.h"

#include <QKeyEvent>
#include <algorithm>
#include <cmath>

#include "plots/curve_drawing.h"
#include "plots/hover_card.h"
#include "plots/run_mark.h"

namespace tidemark::plots {
namespace {

constexpr double kReachPx = 18;

}  // namespace

ScatterPlot::ScatterPlot(QWidget* parent) : PlotFrame(parent) {
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
  if (pointed_ >= static_cast<int>(series_.points.size())) pointerLeft();
  fitAxes();
  for (std::size_t i = 0; i < graphs_.size(); ++i) {
    fill(graphs_[i], {{series_.points[i].x, series_.points[i].y}}, {xUnit_.divisor, yUnit_.divisor});
  }
  applyTheme(theme());
  setAccessibleDescription(tr("%1 against %2, %3 runs. Arrow keys move from one to the next.")
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
    const bool standsOut = static_cast<int>(i) == pointed_;
    graphs_[i]->setScatterStyle(markerOf(mark, standsOut ? theme.text : theme.background, runColor(mark, theme), standsOut ? 14 : 11));
  }
  styleAxis(plot()->xAxis, theme.muted);
  styleAxis(plot()->yAxis, theme.muted);
}

QString ScatterPlot::cardText() const { return pointed_ < 0 ? QString() : card()->plainText(); }

QPointF ScatterPlot::pixelOf(const ScatterPoint& point) const {
  return {plot()->xAxis->coordToPixel(point.x / xUnit_.divisor), plot()->yAxis->coordToPixel(point.y / yUnit_.divisor)};
}

void ScatterPlot::point(int index) {
  pointed_ = index;
  const ScatterPoint& chosen = series_.points[static_cast<std::size_t>(index)];
  const QString across = series_.words.empty() ? measureText(series_.xMeasure, chosen.x)
                                               : QString::fromStdString(series_.words[static_cast<std::size_t>(chosen.x)]).simplified();
  const auto shortened = [this](const QString& text) { return fontMetrics().elidedText(text, Qt::ElideMiddle, 220); };
  card()->showRows({{shortened(QString::fromStdString(chosen.name).simplified()), QString()},
                    {series_.xLabel, shortened(across)},
                    {series_.yLabel, measureText(series_.yMeasure, chosen.y)}},
                   plot()->mapToParent(pixelOf(chosen).toPoint()));
  setAccessibleDescription(cardText());
  applyTheme(theme());
  replotSoon();
}

void ScatterPlot::pointerMoved(const QPoint& position) {
  int nearest = -1;
  double least = kReachPx;
  for (std::size_t i = 0; i < series_.points.size(); ++i) {
    const double distance = QLineF(pixelOf(series_.points[i]), position).length();
    if (distance >= least) continue;
    least = distance;
    nearest = static_cast<int>(i);
  }
  if (nearest < 0) return pointerLeft();
  if (nearest != pointed_ || !card()->isVisible()) point(nearest);
}

void ScatterPlot::pointerLeft() {
  PlotFrame::pointerLeft();
  if (pointed_ < 0) return;
  pointed_ = -1;
  applyTheme(theme());
  replotSoon();
}

void ScatterPlot::keyPressEvent(QKeyEvent* event) {
  const int last = static_cast<int>(series_.points.size()) - 1;
  int wanted = -1;
  if (event->key() == Qt::Key_Right) wanted = std::min(pointed_ + 1, last);
  if (event->key() == Qt::Key_Left) wanted = pointed_ < 0 ? last : std::max(pointed_ - 1, 0);
  if (event->key() == Qt::Key_Escape) return pointerLeft();
  if (wanted < 0) return PlotFrame::keyPressEvent(event);
  point(wanted);
}

void ScatterPlot::resizeEvent(QResizeEvent* event) {
  PlotFrame::resizeEvent(event);
  layOut();
  replotSoon();
}

}  // namespace tidemark::plots
