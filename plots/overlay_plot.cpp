#include "plots/overlay_plot.h"

#include <QKeyEvent>
#include <algorithm>
#include <cmath>

#include "plots/curve_drawing.h"
#include "plots/decimate.h"
#include "plots/hover_card.h"
#include "plots/quantity.h"
#include "plots/run_mark.h"

namespace tidemark::plots {
namespace {

constexpr double kFaint = 0.32;       // share of the run's colour in what was measured
constexpr int kCardRowHeightPx = 20;
constexpr double kIndistinct = 1.0 / 200;  // of the y axis: curves nearer than this everywhere look like one
constexpr double kDash = 5;                // in widths of the line

QColor colorOf(const OverlayCurve& curve, const PlotTheme& theme) { return curve.color.isValid() ? curve.color : runColor(curve.mark, theme); }

bool lieOnEachOther(const Curve& a, const Curve& b, double tolerance) {
  return !a.empty() && a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [tolerance](const CurvePoint& p, const CurvePoint& q) {
    const bool areGaps = !std::isfinite(p.y) && !std::isfinite(q.y);
    return p.x == q.x && (areGaps || std::abs(p.y - q.y) <= tolerance);
  });
}

QColor mixed(const QColor& color, const QColor& background, double share) {
  const auto mix = [share](int a, int b) { return static_cast<int>(std::lround(share * a + (1 - share) * b)); };
  return QColor(mix(color.red(), background.red()), mix(color.green(), background.green()), mix(color.blue(), background.blue()));
}

}  // namespace

OverlayPlot::OverlayPlot(QWidget* parent) : PlotFrame(parent) {
  plot()->setPlottingHint(QCP::phFastPolylines, true);
  plot()->xAxis->grid()->setVisible(false);
  cursorLine_ = new QCPItemLine(plot());
  cursorLine_->setVisible(false);
  setTheme(theme());
  setSeries({});
}

void OverlayPlot::setSeries(const OverlaySeries& series) {
  series_ = series;
  makeGraphs();
  findOverlaps();
  if (pointed_ >= static_cast<int>(series_.curves.size())) pointerLeft();
  fitAxes();
  fillGraphs();
  applyTheme(theme());
  if (pointed_ >= 0) showCard();
  else setAccessibleDescription(tr("%1 over %2, %3 curves. Arrow keys read them.").arg(series_.yLabel, series_.xLabel).arg(series_.curves.size()));
  replotSoon();
}

void OverlayPlot::setSmoothing(double weight) {
  smoothing_ = std::clamp(weight, 0.0, 0.99);
  fillGraphs();
  applyTheme(theme());
  if (pointed_ >= 0) showCard();
  replotSoon();
}

void OverlayPlot::makeGraphs() {
  const std::size_t count = series_.curves.size();
  if (strong_.size() == count) return;
  plot()->clearGraphs();
  faint_.clear();
  strong_.clear();
  for (std::size_t i = 0; i < count; ++i) faint_.push_back(plot()->addGraph());  // behind all strong ones
  for (std::size_t i = 0; i < count; ++i) strong_.push_back(plot()->addGraph());
}

void OverlayPlot::fillGraphs() {
  const std::size_t buckets = static_cast<std::size_t>(std::max(100, plot()->width()));
  const CurvePoint divisor{xUnit_.divisor, yUnit_.divisor};
  for (std::size_t i = 0; i < strong_.size(); ++i) {
    const Curve& points = series_.curves[i].points;
    fill(faint_[i], isSmoothed() ? decimate(points, buckets) : Curve{}, divisor);
    fill(strong_[i], decimate(isSmoothed() ? smooth(points, smoothing_) : points, buckets), divisor);
    strong_[i]->setLineStyle(series_.style == OverlaySeries::Style::Stairs ? QCPGraph::lsStepCenter : QCPGraph::lsLine);
  }
}

void OverlayPlot::findOverlaps() {
  overlaps_.assign(series_.curves.size(), {});
  Extent y;
  for (const OverlayCurve& curve : series_.curves) y.include(curve.points);
  const double tolerance = y.isEmpty() ? 0 : std::max((y.high - y.low) * kIndistinct, std::abs(y.high) * 1e-9);
  std::vector<int> first(series_.curves.size(), -1);  // the first curve that each lies on
  for (std::size_t i = 0; i < series_.curves.size(); ++i) {
    for (std::size_t k = 0; k < i && first[i] < 0; ++k) {
      if (first[k] == static_cast<int>(k) && lieOnEachOther(series_.curves[k].points, series_.curves[i].points, tolerance)) first[i] = static_cast<int>(k);
    }
    if (first[i] < 0) first[i] = static_cast<int>(i);
    overlaps_[i].place = static_cast<int>(std::count(first.begin(), first.begin() + static_cast<std::ptrdiff_t>(i), first[i]));
  }
  for (std::size_t i = 0; i < first.size(); ++i) overlaps_[i].count = static_cast<int>(std::count(first.begin(), first.end(), first[i]));
}

QPen OverlayPlot::penOf(const QColor& color, double width, std::size_t curve) const {
  QPen pen(color, width, runLine(series_.curves[curve].mark));
  const Overlap& overlap = overlaps_[curve];
  if (overlap.count < 2 || series_.style == OverlaySeries::Style::Points) return pen;
  pen.setCapStyle(Qt::FlatCap);
  pen.setDashPattern({kDash, kDash * (overlap.count - 1)});
  pen.setDashOffset(-kDash * overlap.place);
  return pen;
}

void OverlayPlot::fitAxes() {
  Extent x, y;
  for (const OverlayCurve& curve : series_.curves) {
    if (!curve.points.empty()) {
      x.include(curve.points.front().x);
      x.include(curve.points.back().x);
    }
    y.include(curve.points);
  }
  if (x.isEmpty()) x = {0, 1};
  if (y.isEmpty()) y = {0, 1};
  if (series_.beginsAtZero) y.low = 0;
  xUnit_ = axisUnitFor(series_.xMeasure, x.high);
  yUnit_ = axisUnitFor(series_.yMeasure, y.high);
  const double side = std::max((x.high - x.low) * 0.012, x.high == x.low ? 0.5 * xUnit_.divisor : 0);
  const double margin = std::max((y.high - y.low) * 0.06, std::abs(y.high) * 1e-3 + 1e-12);
  plot()->xAxis->setRange((x.low - side) / xUnit_.divisor, (x.high + side) / xUnit_.divisor);
  plot()->yAxis->setRange((y.low - (series_.beginsAtZero ? 0 : margin)) / yUnit_.divisor, (y.high + margin) / yUnit_.divisor);
  plot()->xAxis->setTicker(tickerFor(series_.xMeasure));
  plot()->yAxis->setTicker(tickerFor(series_.yMeasure));
  const auto label = [](const QString& text, const AxisUnit& unit) { return unit.name.isEmpty() ? text : tr("%1, %2").arg(text, unit.name); };
  plot()->xAxis->setLabel(label(series_.xLabel, xUnit_));
  plot()->yAxis->setLabel(label(series_.yLabel, yUnit_));
}

void OverlayPlot::applyTheme(const PlotTheme& theme) {
  for (std::size_t i = 0; i < strong_.size(); ++i) {
    const int mark = series_.curves[i].mark;
    const QColor color = colorOf(series_.curves[i], theme);
    const bool standsOut = static_cast<int>(i) == pointed_;
    strong_[i]->setPen(penOf(color, standsOut ? 3 : 1.6, i));
    strong_[i]->setScatterStyle(series_.style == OverlaySeries::Style::Points || series_.curves[i].points.size() == 1
                                    ? markerOf(mark, color, theme.background, 7) : QCPScatterStyle());
    faint_[i]->setPen(QPen(mixed(color, theme.background, kFaint), 1));
  }
  styleAxis(plot()->xAxis, theme.muted);
  styleAxis(plot()->yAxis, theme.muted);
  cursorLine_->setPen(QPen(theme.muted, 1));
}

int OverlayPlot::drawnPoints() const {
  int count = 0;
  for (const auto* graphs : {&faint_, &strong_}) {
    for (const QCPGraph* graph : *graphs) count += graph->dataCount();
  }
  return count;
}

QString OverlayPlot::cardText() const { return pointed_ < 0 ? QString() : card()->plainText(); }

void OverlayPlot::point(double x, int curve) {
  const bool isOther = curve != pointed_;
  pointedX_ = x;
  pointed_ = curve;
  if (isOther) applyTheme(theme());
  const double at = x / xUnit_.divisor;
  cursorLine_->start->setCoords(at, plot()->yAxis->range().lower);
  cursorLine_->end->setCoords(at, plot()->yAxis->range().upper);
  cursorLine_->setVisible(true);
  showCard();
  replotSoon();
}

void OverlayPlot::showCard() {
  std::vector<std::pair<double, std::size_t>> values;
  for (std::size_t i = 0; i < series_.curves.size(); ++i) {
    const double value = valueAt(series_.curves[i].points, pointedX_);
    if (std::isfinite(value)) values.emplace_back(value, i);
  }
  std::stable_sort(values.begin(), values.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  // Where not all have room: those around the one that stands out.
  const auto here = std::find_if(values.begin(), values.end(), [this](const auto& v) { return static_cast<int>(v.second) == pointed_; });
  const std::ptrdiff_t room = std::max(3, height() / kCardRowHeightPx - 3);
  std::ptrdiff_t first = std::max<std::ptrdiff_t>(0, (here - values.begin()) - room / 2);
  first = std::max<std::ptrdiff_t>(0, std::min(first, static_cast<std::ptrdiff_t>(values.size()) - room));
  const auto last = std::min(static_cast<std::ptrdiff_t>(values.size()), first + room);
  HoverCard::Rows rows{{series_.xLabel, measureText(series_.xMeasure, pointedX_)}};
  const auto index = static_cast<std::size_t>(std::max(0.0, std::round(pointedX_)));
  if (index < series_.xNames.size()) rows.emplaceBack(QString(), QString::fromStdString(series_.xNames[index]).simplified());
  for (std::ptrdiff_t i = first; i < last; ++i) {
    const auto& [value, curve] = values[static_cast<std::size_t>(i)];
    const QString name = QString::fromStdString(series_.curves[curve].name).simplified();
    const bool isShared = overlaps_[curve].count > 1;
    rows.emplaceBack((static_cast<int>(curve) == pointed_ ? QStringLiteral("▸ ") : QString()) + (isShared ? QStringLiteral("≡ ") : QString()) + fontMetrics().elidedText(name, Qt::ElideRight, 190),
                     measureText(series_.yMeasure, value));
  }
  if (last - first < static_cast<std::ptrdiff_t>(values.size()))
    rows.emplaceBack(tr("and %1 more").arg(static_cast<std::ptrdiff_t>(values.size()) - (last - first)), QString());
  const int x = static_cast<int>(plot()->xAxis->coordToPixel(pointedX_ / xUnit_.divisor));
  card()->showRows(rows, plot()->mapToParent(QPoint(x, plot()->axisRect()->top() + 8)));
  setAccessibleDescription(cardText());
}

int OverlayPlot::curveNear(double x, double y) const {
  int nearest = -1;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < series_.curves.size(); ++i) {
    const double value = valueAt(series_.curves[i].points, x);
    if (!std::isfinite(value)) continue;
    const double distance = std::abs(plot()->yAxis->coordToPixel(value / yUnit_.divisor) - y);
    if (distance >= least) continue;
    least = distance;
    nearest = static_cast<int>(i);
  }
  return nearest;
}

void OverlayPlot::pointerMoved(const QPoint& position) {
  if (!plot()->axisRect()->rect().contains(position)) return pointerLeft();
  double x = plot()->xAxis->pixelToCoord(position.x()) * xUnit_.divisor;
  if (series_.xMeasure == Measure::Whole) x = std::round(x);
  const int curve = curveNear(x, position.y());
  if (curve < 0) return pointerLeft();
  point(x, curve);
}

void OverlayPlot::pointerLeft() {
  PlotFrame::pointerLeft();
  const bool stoodOut = pointed_ >= 0;
  pointed_ = -1;
  cursorLine_->setVisible(false);
  if (stoodOut) applyTheme(theme());
  replotSoon();
}

// The next x, to the right or left, at which the curve that stands out has a point.
double OverlayPlot::neighbour(double x, int direction) const {
  const Curve& points = series_.curves[static_cast<std::size_t>(pointed_)].points;
  if (points.empty()) return x;
  const auto less = [](const CurvePoint& point, double wanted) { return point.x < wanted; };
  auto at = std::lower_bound(points.begin(), points.end(), x, less);
  if (direction < 0) return at == points.begin() ? points.front().x : std::prev(at)->x;
  if (at != points.end() && at->x <= x) ++at;
  return at == points.end() ? points.back().x : at->x;
}

void OverlayPlot::pointAtKey(int key) {
  const int count = static_cast<int>(series_.curves.size());
  if (pointed_ < 0) {
    for (int i = 0; i < count; ++i) {
      if (!series_.curves[static_cast<std::size_t>(i)].points.empty()) return point(series_.curves[static_cast<std::size_t>(i)].points.back().x, i);
    }
    return;
  }
  if (key == Qt::Key_Right || key == Qt::Key_Left) return point(neighbour(pointedX_, key == Qt::Key_Right ? 1 : -1), pointed_);
  point(pointedX_, (pointed_ + (key == Qt::Key_Down ? 1 : count - 1)) % count);
}

void OverlayPlot::keyPressEvent(QKeyEvent* event) {
  switch (event->key()) {
    case Qt::Key_Escape: return pointerLeft();
    case Qt::Key_Left:
    case Qt::Key_Right:
    case Qt::Key_Up:
    case Qt::Key_Down: return pointAtKey(event->key());
    default: PlotFrame::keyPressEvent(event);
  }
}

void OverlayPlot::layOut() { fillGraphs(); }

std::vector<LegendEntry> OverlayPlot::legend() const {
  std::vector<LegendEntry> legend;
  for (const OverlayCurve& curve : series_.curves)
    legend.push_back({QString::fromStdString(curve.name).simplified(), colorOf(curve, PlotTheme::light()), runShape(curve.mark)});
  return legend;
}

}  // namespace tidemark::plots
