#include "plots/operator_bar_plot.h"

#include <qcustomplot.h>

#include <algorithm>
#include <cmath>

#include "plots/quantity.h"

namespace tidemark::plots {
namespace {

constexpr double kBarWidth = 0.86;

// Bytes freed are bytes: no minus below zero.
class SizeTicker : public QCPAxisTicker {
 protected:
  QString getTickLabel(double tick, const QLocale& locale, QChar format, int precision) override {
    return QCPAxisTicker::getTickLabel(std::abs(tick), locale, format, precision);
  }
};

// Places a text in a corner of the axis rect, where the y range leaves room for it.
QCPItemText* makeCornerText(QCustomPlot* plot, double x, double y, Qt::Alignment alignment) {
  auto* text = new QCPItemText(plot);
  text->position->setType(QCPItemPosition::ptAxisRectRatio);
  text->position->setCoords(x, y);
  text->setPositionAlignment(alignment);
  text->setClipToAxisRect(false);
  return text;
}

}  // namespace

OperatorBarPlot::OperatorBarPlot(QWidget* parent) : PointedPlot(parent) {
  mark_ = new QCPItemRect(plot());
  kept_ = new QCPBars(plot()->xAxis, plot()->yAxis);
  recomputed_ = new QCPBars(plot()->xAxis, plot()->yAxis);
  freed_ = new QCPBars(plot()->xAxis, plot()->yAxis);
  for (QCPBars* bars : {kept_, recomputed_, freed_}) {
    bars->setWidth(kBarWidth);
    bars->setPen(Qt::NoPen);
    bars->setAntialiased(false);
  }
  upText_ = makeCornerText(plot(), 0.005, 0, Qt::AlignLeft | Qt::AlignTop);
  downText_ = makeCornerText(plot(), 0.005, 1, Qt::AlignLeft | Qt::AlignBottom);
  largestText_ = makeCornerText(plot(), 1, 0, Qt::AlignRight | Qt::AlignTop);
  upText_->setText(tr("▲ kept in forward"));
  downText_->setText(tr("▼ freed in backward"));
  plot()->xAxis->grid()->setVisible(false);
  plot()->yAxis->setTicker(QSharedPointer<QCPAxisTicker>(new SizeTicker));
  setAccessibleName(tr("Activation kept per operator"));
  setTheme(theme());
  setBars({});
}

void OperatorBarPlot::setBars(const std::vector<OperatorBar>& bars) {
  bars_ = bars;
  double greatest = 0;
  std::size_t largest = 0;
  for (std::size_t i = 0; i < bars.size(); ++i) {
    if (bars[i].activationBytes > greatest) {
      greatest = bars[i].activationBytes;
      largest = i;
    }
  }
  const ByteUnit unit = byteUnitFor(greatest);
  divisor_ = unit.divisor;
  QVector<double> savedKeys, savedValues, againKeys, againValues, keys, freed;
  for (std::size_t i = 0; i < bars.size(); ++i) {
    const double value = bars[i].activationBytes / divisor_;
    (bars[i].isSaved ? savedKeys : againKeys).append(static_cast<double>(i));
    (bars[i].isSaved ? savedValues : againValues).append(value);
    keys.append(static_cast<double>(i));
    freed.append(-value);
  }
  kept_->setData(savedKeys, savedValues, true);
  recomputed_->setData(againKeys, againValues, true);
  freed_->setData(keys, freed, true);
  plot()->xAxis->setRange(-0.7, std::max<double>(1, static_cast<double>(bars.size())) - 0.3);
  const double top = greatest > 0 ? greatest / divisor_ * 1.28 : 1;  // 28 %: room for the texts in the corners
  plot()->yAxis->setRange(-top, top);
  plot()->yAxis->setLabel(unit.name);
  const QString most = bars.empty() ? tr("not measured yet")
                                    : tr("largest: %1 %2").arg(QString::fromStdString(bars[largest].name), bytesText(greatest));
  largestText_->setText(most);
  itemsChanged(tr("%1 operators, %2. Arrow keys move from one to the next.").arg(bars.size()).arg(most));
  setHighlight(highlight_);
  replotSoon();
}

void OperatorBarPlot::setHighlight(int index) {
  highlight_ = index >= 0 && index < static_cast<int>(bars_.size()) ? index : -1;
  mark_->setVisible(highlight_ >= 0);
  mark_->topLeft->setCoords(highlight_ - 0.5, plot()->yAxis->range().upper);
  mark_->bottomRight->setCoords(highlight_ + 0.5, plot()->yAxis->range().lower);
  replotSoon();
}

void OperatorBarPlot::applyTheme(const PlotTheme& theme) {
  const QColor amber = spaceColor(Space::Activation);
  kept_->setBrush(amber);
  recomputed_->setBrush(QBrush(amber, Qt::Dense5Pattern));
  QColor pale = amber;
  pale.setAlpha(90);
  freed_->setBrush(pale);
  styleAxis(plot()->xAxis, theme.muted);
  styleAxis(plot()->yAxis, theme.muted);
  plot()->yAxis->grid()->setZeroLinePen(QPen(theme.muted, 1));
  QColor mark = theme.accent;
  mark_->setPen(QPen(mark, 1));
  mark.setAlpha(40);
  mark_->setBrush(mark);
  QFont small = font();
  small.setPixelSize(12);
  for (QCPItemText* text : {upText_, downText_, largestText_}) {
    text->setFont(small);
    text->setColor(theme.muted);
  }
}

int OperatorBarPlot::itemCount() const { return static_cast<int>(bars_.size()); }

PointedPlot::Telling OperatorBarPlot::tell(int item) const {
  const OperatorBar& bar = bars_[static_cast<std::size_t>(item)];
  const int x = static_cast<int>(plot()->xAxis->coordToPixel(item));
  return {{{tr("operator %1").arg(item), QString::fromStdString(bar.name)},
           {tr("activation"), bytesText(bar.activationBytes)},
           {tr("for backward"), bar.isSaved ? tr("saved") : tr("computed again")}},
          QPoint(x, plot()->axisRect()->top() + 24)};
}

void OperatorBarPlot::pointedChanged() { setHighlight(pointed()); }

int OperatorBarPlot::itemAt(const QPoint& position) const {
  const int index = qRound(plot()->xAxis->pixelToCoord(position.x()));
  const bool isInside = index >= 0 && index < itemCount() && plot()->axisRect()->rect().contains(position);
  return isInside ? index : -1;
}

std::vector<LegendEntry> OperatorBarPlot::legend() const {
  std::vector<LegendEntry> legend{{tr("kept in forward, freed in backward"), spaceColor(Space::Activation)}};
  const bool computesAgain = std::any_of(bars_.begin(), bars_.end(), [](const OperatorBar& bar) { return !bar.isSaved; });
  if (computesAgain) legend.push_back({tr("dotted: computed again"), spaceColor(Space::Activation)});
  return legend;
}

}  // namespace tidemark::plots
