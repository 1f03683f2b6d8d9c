#include "plots/length_histogram.h"

#include <qcustomplot.h>

#include <algorithm>

#include "plots/quantity.h"

namespace tidemark::plots {
namespace {

constexpr double kLeastHeight = 0.015;  // of the highest bar: a single row stays visible beside thousands

double centreOf(const LengthBin& bin, double width) { return bin.last - width / 2; }

}  // namespace

LengthHistogram::LengthHistogram(QWidget* parent) : PointedPlot(parent) {
  within_ = new QCPBars(plot()->xAxis, plot()->yAxis);
  beyond_ = new QCPBars(plot()->xAxis, plot()->yAxis);
  for (QCPBars* bars : {within_, beyond_}) bars->setAntialiased(false);
  limitLine_ = new QCPItemLine(plot());
  limitText_ = new QCPItemText(plot());
  limitText_->setClipToAxisRect(false);
  plot()->xAxis->grid()->setVisible(false);
  plot()->xAxis->setLabel(tr("tokens per row"));
  plot()->yAxis->setLabel(tr("rows"));
  plot()->xAxis->setNumberFormat(QStringLiteral("f"));
  plot()->xAxis->setNumberPrecision(0);
  plot()->yAxis->setNumberFormat(QStringLiteral("f"));
  plot()->yAxis->setNumberPrecision(0);
  plot()->xAxis->ticker()->setTickCount(6);
  plot()->yAxis->ticker()->setTickCount(3);
  setAccessibleName(tr("Lengths of the rows"));
  setTheme(theme());
  setSeries({});
}

void LengthHistogram::setSeries(const LengthSeries& series) {
  series_ = series;
  point(-1);
  fillBars();
  placeLimit();
  itemsChanged(series_.bins.empty() ? tr("No row read yet")
                                    : tr("%1 rows, %2. Arrow keys move from bar to bar.").arg(countText(series_.rows), limitText()));
  replotSoon();
}

QString LengthHistogram::limitText() const {
  if (series_.limit <= 0) return {};
  const double percent = series_.rows > 0 ? 100 * series_.cut / series_.rows : 0;
  return tr("limit %1: %2 longer, %3 %").arg(countText(series_.limit), countText(series_.cut), decimalText(percent, 2));
}

void LengthHistogram::fillBars() {
  double highest = 0;
  for (const LengthBin& bin : series_.bins) highest = std::max(highest, bin.count);
  QVector<double> keys[2], values[2];
  for (const LengthBin& bin : series_.bins) {
    if (bin.count <= 0) continue;
    const int side = series_.limit > 0 && bin.first > series_.limit ? 1 : 0;
    keys[side].append(centreOf(bin, series_.binWidth));
    values[side].append(std::max(bin.count, kLeastHeight * highest));
  }
  within_->setData(keys[0], values[0], true);
  beyond_->setData(keys[1], values[1], true);
  for (QCPBars* bars : {within_, beyond_}) bars->setWidth(series_.binWidth * 0.9);
  const double right = series_.bins.empty() ? 1 : series_.bins.back().last;
  plot()->xAxis->setRange(0, right * 1.01);
  plot()->yAxis->setRange(0, highest > 0 ? highest * 1.3 : 1);  // 30 %: room for the text at the limit
}

void LengthHistogram::placeLimit() {
  const double right = plot()->xAxis->range().upper;
  const bool isInSight = series_.limit > 0 && series_.limit <= right;
  limitLine_->setVisible(isInSight);
  limitText_->setVisible(series_.limit > 0 && !series_.bins.empty());
  const double top = plot()->yAxis->range().upper;
  limitLine_->start->setCoords(series_.limit, 0);
  limitLine_->end->setCoords(series_.limit, top);
  limitText_->setText(isInSight ? limitText() : limitText() + QStringLiteral(" →"));
  const bool isLeft = !isInSight || series_.limit > right / 2;  // the text goes where there is more room
  const double place = isInSight ? series_.limit : right;
  const double gap = right * 6 / std::max(1, plot()->axisRect()->width());
  limitText_->position->setCoords(place + (isLeft ? -gap : gap), top);
  limitText_->setPositionAlignment(Qt::AlignTop | (isLeft ? Qt::AlignRight : Qt::AlignLeft));
}

void LengthHistogram::applyTheme(const PlotTheme& theme) {
  const QColor blue = spaceColor(Space::Static), red = spaceColor(Space::Workspace);
  within_->setPen(Qt::NoPen);
  within_->setBrush(blue);
  beyond_->setPen(QPen(red, 1));
  beyond_->setBrush(QBrush(red, Qt::BDiagPattern));
  styleAxis(plot()->xAxis, theme.muted);
  styleAxis(plot()->yAxis, theme.muted);
  limitLine_->setPen(QPen(theme.text, 1.5, Qt::DashLine));
  QFont small = font();
  small.setPixelSize(12);
  limitText_->setFont(small);
  limitText_->setColor(theme.text);
}

int LengthHistogram::itemCount() const { return static_cast<int>(series_.bins.size()); }

PointedPlot::Telling LengthHistogram::tell(int item) const {
  const LengthBin& bin = series_.bins[static_cast<std::size_t>(item)];
  const bool isOpen = series_.isLastOpen && item + 1 == static_cast<int>(series_.bins.size());
  const QString lengths = isOpen              ? tr("%1 and more").arg(countText(bin.first))
                          : bin.first == bin.last ? countText(bin.first)
                                                  : tr("%1 to %2").arg(countText(bin.first), countText(bin.last));
  const double percent = series_.rows > 0 ? 100 * bin.count / series_.rows : 0;
  const int x = static_cast<int>(plot()->xAxis->coordToPixel(centreOf(bin, series_.binWidth)));
  return {{{tr("tokens"), lengths},
           {tr("rows"), countText(bin.count)},
           {tr("of all"), tr("%1 %").arg(decimalText(percent, 2))}},
          QPoint(x, plot()->axisRect()->top() + 18)};
}

int LengthHistogram::itemAt(const QPoint& position) const {
  if (!plot()->axisRect()->rect().contains(position)) return -1;
  const double x = plot()->xAxis->pixelToCoord(position.x());
  const auto bin = std::find_if(series_.bins.begin(), series_.bins.end(), [&](const LengthBin& candidate) {
    return x <= candidate.last && x > candidate.last - series_.binWidth;
  });
  return bin == series_.bins.end() ? -1 : static_cast<int>(bin - series_.bins.begin());
}

void LengthHistogram::layOut() { placeLimit(); }

std::vector<LegendEntry> LengthHistogram::legend() const {
  if (series_.limit <= 0) return {};
  return {{tr("within the limit"), spaceColor(Space::Static)}, {tr("longer, hatched"), spaceColor(Space::Workspace)}};
}

}  // namespace tidemark::plots
