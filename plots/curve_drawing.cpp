#include "plots/curve_drawing.h"

#include <algorithm>
#include <cmath>

#include "plots/quantity.h"
#include "plots/run_mark.h"

namespace tidemark::plots {
namespace {

class WholeTicker : public QCPAxisTicker {
 protected:
  double getTickStep(const QCPRange& range) override { return std::max(1.0, std::round(QCPAxisTicker::getTickStep(range))); }
  int getSubTickCount(double) override { return 0; }
  QString getTickLabel(double tick, const QLocale& locale, QChar format, int precision) override {
    return std::abs(tick) < 10'000 ? QCPAxisTicker::getTickLabel(tick, locale, format, precision) : countText(tick);
  }
};

}  // namespace

void Extent::include(double value) {
  if (!std::isfinite(value)) return;
  low = std::min(low, value);
  high = std::max(high, value);
}

void Extent::include(const Curve& curve) {
  for (const CurvePoint& point : curve) include(point.y);
}

double valueAt(const Curve& curve, double x) {
  const auto after = std::upper_bound(curve.begin(), curve.end(), x,
                                      [](double wanted, const CurvePoint& point) { return wanted < point.x; });
  return after == curve.begin() ? std::numeric_limits<double>::quiet_NaN() : std::prev(after)->y;
}

void fill(QCPGraph* graph, const Curve& curve, const CurvePoint& divisor) {
  QVector<double> x, y;
  x.reserve(static_cast<qsizetype>(curve.size()));
  y.reserve(static_cast<qsizetype>(curve.size()));
  for (const CurvePoint& point : curve) {
    x.append(point.x / divisor.x);
    y.append(std::isfinite(point.y) ? point.y / divisor.y : std::numeric_limits<double>::quiet_NaN());
  }
  graph->setData(x, y, true);
}

QCPScatterStyle markerOf(int mark, const QColor& edge, const QColor& inside, double size) {
  const MarkShape shape = runShape(mark);
  const auto drawn = shape == MarkShape::Circle ? QCPScatterStyle::ssCircle
                                                : shape == MarkShape::Diamond ? QCPScatterStyle::ssDiamond : QCPScatterStyle::ssSquare;
  return QCPScatterStyle(drawn, QPen(edge, 1.5), inside, size);
}

QSharedPointer<QCPAxisTicker> tickerFor(Measure measure) {
  return QSharedPointer<QCPAxisTicker>(measure == Measure::Whole ? new WholeTicker : new QCPAxisTicker);
}

}  // namespace tidemark::plots
