#include "plots/peak_bar_plot.h"

#include <qcustomplot.h>

#include <algorithm>

#include "plots/quantity.h"
#include "plots/run_mark.h"

namespace tidemark::plots {
namespace {

constexpr std::array kParts{Space::Trainable, Space::Static, Space::Dynamic, Space::Activation, Space::Workspace};
constexpr double kBarWidth = 0.62;
constexpr int kRowHeightPx = 19;
constexpr int kMostNamePx = 200;
constexpr int kMarkPx = 18;
constexpr int kTotalPx = 76;

double bytesOf(const PeakBar& bar, Space space) {
  switch (space) {
    case Space::Trainable: return bar.trainable;
    case Space::Static: return bar.staticCache;
    case Space::Dynamic: return bar.dynamicCache;
    case Space::Activation: return bar.activation;
    case Space::Workspace: return bar.workspace;
  }
  return 0;
}

double totalOf(const PeakBar& bar) {
  double total = 0;
  for (const Space space : kParts) total += bytesOf(bar, space);
  return total;
}

QString glyphOf(MarkShape shape) {
  switch (shape) {
    case MarkShape::Circle: return QStringLiteral("●");
    case MarkShape::Diamond: return QStringLiteral("◆");
    case MarkShape::Square: return QStringLiteral("■");
  }
  return {};
}

QCPItemText* makeText(QCustomPlot* plot, Qt::Alignment alignment) {
  auto* text = new QCPItemText(plot);
  text->setClipToAxisRect(false);
  text->setPositionAlignment(alignment | Qt::AlignVCenter);
  return text;
}

}  // namespace

PeakBarPlot::PeakBarPlot(QWidget* parent) : PointedPlot(parent) {
  QCPBars* below = nullptr;
  for (QCPBars*& part : parts_) {
    part = new QCPBars(plot()->yAxis, plot()->xAxis);
    part->setWidth(kBarWidth);
    part->setPen(Qt::NoPen);
    part->setAntialiased(false);
    if (below) part->moveAbove(below);
    below = part;
  }
  plot()->yAxis->setRangeReversed(true);  // the first run on top
  plot()->yAxis->setTickLabels(false);
  plot()->yAxis->grid()->setVisible(false);
  setAccessibleName(tr("Peak memory by component"));
  setTheme(theme());
  setBars({});
}

void PeakBarPlot::setBars(const std::vector<PeakBar>& bars) {
  bars_ = bars;
  makeRows();
  fillBars();
  layOut();
  applyTheme(theme());
  setMinimumHeight(std::max(120, static_cast<int>(bars_.size()) * kRowHeightPx + 50));
  itemsChanged(tr("%1 runs. Arrow keys move from one to the next.").arg(bars_.size()));
  replotSoon();
}

void PeakBarPlot::makeRows() {
  while (rows_.size() > bars_.size()) {
    const Row& row = rows_.back();
    for (QCPAbstractItem* item : std::initializer_list<QCPAbstractItem*>{row.mark, row.name, row.total, row.budget}) plot()->removeItem(item);
    rows_.pop_back();
  }
  while (rows_.size() < bars_.size()) {
    Row row{makeText(plot(), Qt::AlignHCenter), makeText(plot(), Qt::AlignLeft), makeText(plot(), Qt::AlignLeft), new QCPItemLine(plot())};
    row.mark->position->setTypeX(QCPItemPosition::ptAbsolute);
    row.name->position->setTypeX(QCPItemPosition::ptAbsolute);
    rows_.push_back(row);
  }
}

void PeakBarPlot::fillBars() {
  double greatest = 0;
  for (const PeakBar& bar : bars_) greatest = std::max({greatest, totalOf(bar), bar.budget});
  const ByteUnit unit = byteUnitFor(greatest);
  divisor_ = unit.divisor;
  QVector<double> keys;
  for (std::size_t i = 0; i < bars_.size(); ++i) keys.append(static_cast<double>(i));
  for (std::size_t part = 0; part < parts_.size(); ++part) {
    QVector<double> values;
    for (const PeakBar& bar : bars_) values.append(bytesOf(bar, kParts[part]) / divisor_);
    parts_[part]->setData(keys, values, true);
  }
  plot()->xAxis->setLabel(unit.name);
  plot()->xAxis->setRange(0, greatest > 0 ? greatest / divisor_ * 1.02 : 1);
  plot()->yAxis->setRange(-0.6, std::max<double>(1, static_cast<double>(bars_.size())) - 0.4);
}

void PeakBarPlot::layOut() {
  QFont small = font();
  small.setPixelSize(12);
  const QFontMetrics metrics(small);
  int widest = 0;
  for (const PeakBar& bar : bars_) widest = std::max(widest, metrics.horizontalAdvance(QString::fromStdString(bar.name).simplified()));
  const int room = std::min({widest, kMostNamePx, plot()->width() * 3 / 10});
  plot()->axisRect()->setMinimumMargins(QMargins(kMarkPx + room + 10, 4, kTotalPx, 0));
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const PeakBar& bar = bars_[i];
    const Row& row = rows_[i];
    const double y = static_cast<double>(i);
    row.mark->position->setCoords(kMarkPx / 2, y);
    row.name->position->setCoords(kMarkPx, y);
    row.mark->setText(glyphOf(runShape(bar.mark)));
    row.name->setText(metrics.elidedText(QString::fromStdString(bar.name).simplified(), Qt::ElideRight, room));
    row.total->position->setCoords(totalOf(bar) / divisor_, y);
    row.total->setText(QLatin1Char(' ') + (bar.isMeasured ? bytesText(totalOf(bar)) : tr("not measured")));
    row.budget->start->setCoords(bar.budget / divisor_, y - kBarWidth / 2);
    row.budget->end->setCoords(bar.budget / divisor_, y + kBarWidth / 2);
    row.budget->setVisible(bar.budget > 0);
    for (QCPItemText* text : {row.mark, row.name, row.total}) text->setFont(small);
  }
}

void PeakBarPlot::applyTheme(const PlotTheme& theme) {
  for (std::size_t part = 0; part < parts_.size(); ++part) parts_[part]->setBrush(spaceColor(kParts[part]));
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const bool standsOut = static_cast<int>(i) == pointed();
    rows_[i].mark->setColor(runColor(bars_[i].mark, theme));
    rows_[i].name->setColor(standsOut ? theme.accent : theme.text);
    rows_[i].total->setColor(bars_[i].isMeasured ? theme.text : theme.muted);
    rows_[i].budget->setPen(QPen(theme.text, 2));
  }
  styleAxis(plot()->xAxis, theme.muted);
  styleAxis(plot()->yAxis, theme.muted);
}

int PeakBarPlot::itemCount() const { return static_cast<int>(bars_.size()); }

void PeakBarPlot::pointedChanged() { applyTheme(theme()); }

PointedPlot::Telling PeakBarPlot::tell(int item) const {
  const PeakBar& bar = bars_[static_cast<std::size_t>(item)];
  HoverCard::Rows rows{{fontMetrics().elidedText(QString::fromStdString(bar.name).simplified(), Qt::ElideRight, 220), QString()}};
  if (bar.isMeasured) {
    rows.append({{tr("workspace"), bytesText(bar.workspace)}, {tr("activation"), bytesText(bar.activation)},
                 {tr("dynamic cache"), bytesText(bar.dynamicCache)}, {tr("static cache"), bytesText(bar.staticCache)},
                 {tr("trainable state"), bytesText(bar.trainable)}, {tr("together"), bytesText(totalOf(bar))}});
  } else {
    rows.emplaceBack(tr("not measured yet"), QString());
  }
  if (bar.budget > 0) rows.emplaceBack(tr("budget"), bytesText(bar.budget));
  const int y = static_cast<int>(plot()->yAxis->coordToPixel(item));
  return {rows, QPoint(plot()->axisRect()->center().x(), y - 30)};
}

int PeakBarPlot::itemAt(const QPoint& position) const {
  const int index = qRound(plot()->yAxis->pixelToCoord(position.y()));
  return index >= 0 && index < itemCount() ? index : -1;
}

}  // namespace tidemark::plots
