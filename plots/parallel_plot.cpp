#include "plots/parallel_plot.h"

#include <qcustomplot.h>

#include <QKeyEvent>
#include <QMouseEvent>
#include <algorithm>
#include <cmath>

#include "plots/curve_drawing.h"
#include "plots/run_mark.h"

namespace tidemark::plots {
namespace {

constexpr double kReachPx = 10;      // from a line or an axis
constexpr double kLeastBrush = 0.02; // of an axis: less is a click
constexpr double kAir = 0.04;        // above and below the values

QCPItemText* makeText(QCustomPlot* plot, Qt::Alignment alignment) {
  auto* text = new QCPItemText(plot);
  text->setClipToAxisRect(false);
  text->setPositionAlignment(alignment);
  return text;
}

}  // namespace

ParallelPlot::ParallelPlot(QWidget* parent) : PointedPlot(parent) {
  for (QCPAxis* axis : {plot()->xAxis, plot()->yAxis}) {
    axis->setVisible(false);
    axis->grid()->setVisible(false);
  }
  plot()->axisRect()->setAutoMargins(QCP::msNone);
  plot()->axisRect()->setMargins(QMargins(56, 40, 56, 24));
  plot()->yAxis->setRange(-kAir, 1 + kAir);
  setMinimumHeight(180);
  setAccessibleName(tr("Parallel coordinates of the runs"));
  setTheme(theme());
  setSeries({});
}

void ParallelPlot::setSeries(const ParallelSeries& series) {
  std::vector<std::optional<Brush>> kept;
  for (const ParallelAxis& axis : series.axes) {
    const auto before = std::find_if(series_.axes.begin(), series_.axes.end(), [&](const ParallelAxis& known) { return known.label == axis.label; });
    kept.push_back(before == series_.axes.end() ? std::nullopt : brushes_[static_cast<std::size_t>(before - series_.axes.begin())]);
  }
  series_ = series;
  brushes_ = std::move(kept);
  draggedAxis_ = -1;
  measureAxes();
  makeColumns();
  fillGraphs();
  layOut();
  applyTheme(theme());
  itemsChanged(tr("%1 runs over %2 settings and results. Arrow keys move from run to run; dragging along an axis keeps the runs that pass there.")
                   .arg(series_.lines.size()).arg(series_.axes.size()));
  replotSoon();
}

void ParallelPlot::measureAxes() {
  ranges_.clear();
  for (std::size_t i = 0; i < series_.axes.size(); ++i) {
    Extent extent;
    for (const ParallelLine& line : series_.lines) {
      if (const auto value = line.values[i]) extent.include(series_.axes[i].isLogarithmic ? std::log(*value) : *value);
    }
    if (!series_.axes[i].words.empty()) extent = {0, static_cast<double>(series_.axes[i].words.size()) - 1};
    if (extent.isEmpty()) extent = {0, 1};
    if (extent.low == extent.high) extent = {extent.low - 1, extent.high + 1};  // all alike: in the middle
    ranges_.emplace_back(extent.low, extent.high);
  }
}

std::optional<double> ParallelPlot::placeOf(std::size_t axis, const ParallelLine& line) const {
  const auto value = line.values[axis];
  if (!value || !std::isfinite(*value)) return std::nullopt;
  const double drawn = series_.axes[axis].isLogarithmic ? std::log(*value) : *value;
  return (drawn - ranges_[axis].first) / (ranges_[axis].second - ranges_[axis].first);
}

void ParallelPlot::makeColumns() {
  while (columns_.size() > series_.axes.size()) {
    const Column& column = columns_.back();
    for (QCPAbstractItem* item : std::initializer_list<QCPAbstractItem*>{column.line, column.brush, column.label, column.top, column.bottom}) plot()->removeItem(item);
    columns_.pop_back();
  }
  while (columns_.size() < series_.axes.size()) {
    Column column{new QCPItemLine(plot()), new QCPItemRect(plot()), makeText(plot(), Qt::AlignHCenter | Qt::AlignBottom),
                  makeText(plot(), Qt::AlignHCenter | Qt::AlignBottom), makeText(plot(), Qt::AlignHCenter | Qt::AlignTop)};
    column.label->position->setTypeY(QCPItemPosition::ptAbsolute);
    column.brush->setClipToAxisRect(false);
    columns_.push_back(column);
  }
}

void ParallelPlot::fillGraphs() {
  if (graphs_.size() != series_.lines.size()) {
    plot()->clearGraphs();
    graphs_.clear();
    for (std::size_t i = 0; i < series_.lines.size(); ++i) graphs_.push_back(plot()->addGraph());
  }
  for (std::size_t i = 0; i < graphs_.size(); ++i) {
    Curve curve;
    for (std::size_t axis = 0; axis < series_.axes.size(); ++axis) {
      curve.push_back({static_cast<double>(axis), placeOf(axis, series_.lines[i]).value_or(std::nan(""))});
    }
    fill(graphs_[i], curve);
  }
  plot()->xAxis->setRange(-0.02, std::max(1.0, static_cast<double>(series_.axes.size()) - 1) + 0.02);
}

QString ParallelPlot::valueText(std::size_t axis, double value) const {
  const ParallelAxis& shown = series_.axes[axis];
  if (shown.words.empty()) return measureText(shown.measure, value);
  const auto index = static_cast<std::size_t>(std::max(0.0, std::round(value)));
  return index < shown.words.size() ? QString::fromStdString(shown.words[index]).simplified() : QString();
}

void ParallelPlot::layOut() {
  QFont small = font();
  small.setPixelSize(12);
  const QFontMetrics metrics(small);
  const int gap = plot()->axisRect()->width() / std::max(1, static_cast<int>(columns_.size()) - 1);
  const int room = std::clamp(gap - 8, 40, 150);
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const Column& column = columns_[i];
    const double x = static_cast<double>(i);
    column.line->start->setCoords(x, 0);
    column.line->end->setCoords(x, 1);
    column.label->position->setCoords(x, 18);
    column.label->setText(metrics.elidedText(series_.axes[i].label, Qt::ElideMiddle, room));
    const auto end = [&](double drawn) { return valueText(i, series_.axes[i].isLogarithmic ? std::exp(drawn) : drawn); };
    const bool areAlike = std::all_of(series_.lines.begin(), series_.lines.end(), [&](const ParallelLine& line) { return line.values[i] == series_.lines.front().values[i]; });
    column.top->position->setCoords(x, 1.015);
    column.bottom->position->setCoords(x, -0.015);
    column.top->setText(areAlike ? QString() : metrics.elidedText(end(ranges_[i].second), Qt::ElideRight, room));
    column.bottom->setText(areAlike ? QString() : metrics.elidedText(end(ranges_[i].first), Qt::ElideRight, room));
    for (QCPItemText* text : {column.label, column.top, column.bottom}) text->setFont(small);
  }
  showBrushes();
}

void ParallelPlot::showBrushes() {
  const double half = 6.0 / std::max(1, plot()->axisRect()->width()) * plot()->xAxis->range().size();
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    columns_[i].brush->setVisible(brushes_[i].has_value());
    if (!brushes_[i]) continue;
    columns_[i].brush->topLeft->setCoords(static_cast<double>(i) - half, brushes_[i]->high);
    columns_[i].brush->bottomRight->setCoords(static_cast<double>(i) + half, brushes_[i]->low);
  }
}

void ParallelPlot::applyTheme(const PlotTheme& theme) {
  for (std::size_t i = 0; i < graphs_.size(); ++i) {
    const int line = static_cast<int>(i), mark = series_.lines[i].mark;
    const bool standsOut = line == pointed();
    QColor color = runColor(mark, theme);
    if (!isKept(line)) color.setAlpha(36);
    graphs_[i]->setPen(QPen(color, standsOut ? 3.2 : 1.6, runLine(mark)));
    graphs_[i]->setScatterStyle(isKept(line) ? markerOf(mark, theme.background, runColor(mark, theme), standsOut ? 10 : 7) : QCPScatterStyle());
  }
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const Column& column = columns_[i];
    column.line->setPen(QPen(theme.muted, 1));
    column.label->setColor(series_.axes[i].isResult ? theme.accent : theme.text);
    column.top->setColor(theme.muted);
    column.bottom->setColor(theme.muted);
    QColor brush = theme.accent;
    column.brush->setPen(QPen(brush, 1.2));
    brush.setAlpha(60);
    column.brush->setBrush(brush);
  }
}

void ParallelPlot::brush(int axis, double low, double high) {
  if (axis < 0 || axis >= static_cast<int>(brushes_.size())) return;
  auto& brush = brushes_[static_cast<std::size_t>(axis)];
  const auto [least, most] = std::minmax(low, high);
  if (most - least < kLeastBrush) brush.reset();
  else brush = Brush{least, most};
  showBrushes();
  applyTheme(theme());
  setAccessibleDescription(tr("%1 of %2 runs pass the marked ranges").arg(keptCount()).arg(series_.lines.size()));
  replotSoon();
  emit brushed();
}

void ParallelPlot::clearBrushes() {
  std::fill(brushes_.begin(), brushes_.end(), std::nullopt);
  brush(0, 0, 0);
}

bool ParallelPlot::isKept(int line) const {
  for (std::size_t i = 0; i < brushes_.size(); ++i) {
    if (!brushes_[i]) continue;
    const auto place = placeOf(i, series_.lines[static_cast<std::size_t>(line)]);
    if (!place || *place < brushes_[i]->low || *place > brushes_[i]->high) return false;
  }
  return true;
}

int ParallelPlot::keptCount() const {
  int count = 0;
  for (int i = 0; i < itemCount(); ++i) count += isKept(i) ? 1 : 0;
  return count;
}

std::vector<LegendEntry> ParallelPlot::legend() const {
  std::vector<LegendEntry> legend;
  for (const ParallelLine& line : series_.lines)
    legend.push_back({QString::fromStdString(line.name).simplified(), runColor(line.mark, PlotTheme::light()), runShape(line.mark)});
  return legend;
}

int ParallelPlot::itemCount() const { return static_cast<int>(series_.lines.size()); }

void ParallelPlot::pointedChanged() { applyTheme(theme()); }

// The nearest line between the two axes beside the pointer; those that are filtered out do not count.
int ParallelPlot::itemAt(const QPoint& position) const {
  if (draggedAxis_ >= 0 || series_.axes.size() < 2) return -1;
  const double x = plot()->xAxis->pixelToCoord(position.x());
  const auto left = static_cast<std::size_t>(std::clamp(std::floor(x), 0.0, static_cast<double>(series_.axes.size()) - 2));
  int nearest = -1;
  double least = kReachPx;
  for (int i = 0; i < itemCount(); ++i) {
    const ParallelLine& line = series_.lines[static_cast<std::size_t>(i)];
    const auto from = placeOf(left, line), to = placeOf(left + 1, line);
    if (!from || !to || !isKept(i)) continue;
    const double y = *from + (*to - *from) * std::clamp(x - static_cast<double>(left), 0.0, 1.0);
    const double distance = std::abs(plot()->yAxis->coordToPixel(y) - position.y());
    if (distance >= least) continue;
    least = distance;
    nearest = i;
  }
  return nearest;
}

PointedPlot::Telling ParallelPlot::tell(int item) const {
  const ParallelLine& line = series_.lines[static_cast<std::size_t>(item)];
  HoverCard::Rows rows{{fontMetrics().elidedText(QString::fromStdString(line.name).simplified(), Qt::ElideMiddle, 240), QString()}};
  for (std::size_t i = 0; i < series_.axes.size(); ++i) {
    const QString value = line.values[i] ? valueText(i, *line.values[i]) : tr("not known");
    rows.emplaceBack(series_.axes[i].label, fontMetrics().elidedText(value, Qt::ElideMiddle, 200));
  }
  const double y = series_.axes.empty() ? 0.5 : placeOf(0, line).value_or(0.5);
  const int x = static_cast<int>(plot()->xAxis->coordToPixel(series_.axes.size() > 2 ? 1 : 0));
  return {rows, QPoint(x, static_cast<int>(plot()->yAxis->coordToPixel(y)) - 20)};
}

int ParallelPlot::axisAt(double x) const {
  const int nearest = qRound(plot()->xAxis->pixelToCoord(x));
  const bool isThere = nearest >= 0 && nearest < static_cast<int>(series_.axes.size());
  return isThere && std::abs(plot()->xAxis->coordToPixel(nearest) - x) <= kReachPx ? nearest : -1;
}

double ParallelPlot::placeAt(double y) const { return std::clamp(plot()->yAxis->pixelToCoord(y), -kAir, 1 + kAir); }

bool ParallelPlot::takeMouse(QEvent* event) {
  auto* mouse = static_cast<QMouseEvent*>(event);
  if (event->type() == QEvent::MouseButtonPress && mouse->button() == Qt::LeftButton) {
    draggedAxis_ = axisAt(mouse->position().x());
    dragBegin_ = placeAt(mouse->position().y());
    if (draggedAxis_ >= 0) point(-1);
  } else if (event->type() == QEvent::MouseMove && draggedAxis_ >= 0) {
    brush(draggedAxis_, dragBegin_, placeAt(mouse->position().y()));
    return true;
  } else if (event->type() == QEvent::MouseButtonRelease && draggedAxis_ >= 0) {
    brush(draggedAxis_, dragBegin_, placeAt(mouse->position().y()));  // a click keeps all again
    draggedAxis_ = -1;
  }
  return false;
}

bool ParallelPlot::eventFilter(QObject* watched, QEvent* event) {
  const bool isMouse = event->type() == QEvent::MouseButtonPress || event->type() == QEvent::MouseMove || event->type() == QEvent::MouseButtonRelease;
  if (watched == plot() && isMouse) {
    if (takeMouse(event)) return true;
    if (event->type() == QEvent::MouseMove)
      plot()->setCursor(axisAt(static_cast<QMouseEvent*>(event)->position().x()) >= 0 ? Qt::SplitVCursor : Qt::ArrowCursor);
  }
  return PointedPlot::eventFilter(watched, event);
}

// Delete takes all marked ranges away; Return keeps the runs that end like the one pointed at, on the last axis.
void ParallelPlot::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Delete || event->key() == Qt::Key_Backspace) return clearBrushes();
  if (event->key() == Qt::Key_Return && pointed() >= 0 && !series_.axes.empty()) {
    const std::size_t last = series_.axes.size() - 1;
    if (const auto place = placeOf(last, series_.lines[static_cast<std::size_t>(pointed())])) return brush(static_cast<int>(last), *place - 0.1, *place + 0.1);
  }
  PointedPlot::keyPressEvent(event);
}

}  // namespace tidemark::plots
