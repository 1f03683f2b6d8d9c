#include "plots/memory_stack_plot.h"

#include <qcustomplot.h>

#include <algorithm>

#include "plots/quantity.h"

namespace tidemark::plots {
namespace {

// From the top of the stack to its bottom.
constexpr std::array kStack{Space::Workspace, Space::Activation, Space::Dynamic, Space::Static, Space::Trainable};

constexpr int kLeastTickGapPx = 26;

double bytesOf(const MemoryMoment& moment, Space space) {
  switch (space) {
    case Space::Static: return moment.staticCache;
    case Space::Dynamic: return moment.dynamicCache;
    case Space::Activation: return moment.activation;
    case Space::Workspace: return moment.workspace;
    case Space::Trainable: return moment.trainable;
  }
  return 0;
}

double totalOf(const MemoryMoment& moment) {
  double total = 0;
  for (const Space space : kStack) total += bytesOf(moment, space);
  return total;
}

std::size_t forwardCount(const MemorySeries& series) {
  return static_cast<std::size_t>(std::count_if(series.moments.begin(), series.moments.end(),
                                                [](const MemoryMoment& moment) { return moment.isForward; }));
}

QCPItemText* makeText(QCustomPlot* plot, Qt::Alignment alignment) {
  auto* text = new QCPItemText(plot);
  text->setClipToAxisRect(false);
  text->setPositionAlignment(alignment);
  text->setPadding(QMargins(2, 1, 2, 1));
  return text;
}

}  // namespace

MemoryStackPlot::MemoryStackPlot(QWidget* parent) : PointedPlot(parent) {
  for (QCPGraph*& graph : graphs_) {
    graph = plot()->addGraph();
    graph->setPen(Qt::NoPen);
    graph->setAntialiasedFill(false);
  }
  budgetLine_ = new QCPItemLine(plot());
  budgetText_ = makeText(plot(), Qt::AlignRight | Qt::AlignBottom);
  turnLine_ = new QCPItemLine(plot());
  cursorLine_ = new QCPItemLine(plot());
  for (QCPItemText*& text : passTexts_) text = makeText(plot(), Qt::AlignHCenter | Qt::AlignTop);
  passTexts_[0]->setText(tr("forward"));
  passTexts_[1]->setText(tr("turn"));
  passTexts_[2]->setText(tr("backward"));
  for (QCPItemText* text : passTexts_) text->position->setTypeY(QCPItemPosition::ptAbsolute);
  plot()->axisRect()->setMinimumMargins(QMargins(0, 22, 6, 42));
  plot()->yAxis->grid()->setLayer(QStringLiteral("axes"));  // over the filled stack
  plot()->xAxis->grid()->setVisible(false);
  setAccessibleName(tr("Memory over one iteration"));
  setTheme(theme());
  setSeries({});
}

void MemoryStackPlot::setSeries(const MemorySeries& series) {
  series_ = series;
  double greatest = series.budget;
  for (const MemoryMoment& moment : series.moments) greatest = std::max(greatest, totalOf(moment));
  const ByteUnit unit = byteUnitFor(greatest);
  divisor_ = unit.divisor;
  unitName_ = unit.name;
  top_ = greatest > 0 ? greatest * 1.02 / divisor_ : 1;
  fillGraphs();
  layOutAxes();
  placeMarks();
  itemsChanged(series.moments.empty() ? tr("No iteration measured yet")
                                      : tr("%1 moments, at most %2 of a budget of %3. Arrow keys move the cursor.")
                                            .arg(series.moments.size())
                                            .arg(bytesText(top_ * divisor_ / 1.02), bytesText(series.budget)));
  replotSoon();
}

void MemoryStackPlot::fillGraphs() {
  QVector<double> keys(static_cast<qsizetype>(series_.moments.size()));
  std::array<QVector<double>, kStack.size()> values;
  for (auto& column : values) column.resize(keys.size());
  for (qsizetype i = 0; i < keys.size(); ++i) {
    keys[i] = static_cast<double>(i);
    double sum = 0;
    for (std::size_t level = kStack.size(); level-- > 0;) {
      sum += bytesOf(series_.moments[static_cast<std::size_t>(i)], kStack[level]) / divisor_;
      values[level][i] = sum;
    }
  }
  for (std::size_t level = 0; level < graphs_.size(); ++level) graphs_[level]->setData(keys, values[level], true);
}

void MemoryStackPlot::layOutAxes() {
  const int count = static_cast<int>(series_.moments.size());
  plot()->xAxis->setRange(0, std::max(1, count - 1));
  plot()->yAxis->setRange(0, top_);
  QSharedPointer<QCPAxisTickerText> ticker(new QCPAxisTickerText);
  const int forward = static_cast<int>(forwardCount(series_));
  const int wanted = std::max(2, plot()->width() / 90);
  int stride = 1;
  for (const int candidate : {1, 2, 5, 10, 20, 50, 100, 200, 500}) {
    stride = candidate;
    if (count / candidate <= wanted) break;
  }
  for (int i = 0; i < count; ++i) {
    const int index = series_.moments[static_cast<std::size_t>(i)].operatorIndex;
    const int mirrored = 2 * forward - 1 - i;  // the same operator in the forward
    const bool isTooClose = i >= forward && (i - mirrored) * plot()->width() / count < kLeastTickGapPx;
    if (index % stride == 0 && !isTooClose) ticker->addTick(i, QString::number(index));
  }
  plot()->xAxis->setTicker(ticker);
}

void MemoryStackPlot::placeMarks() {
  const bool hasBudget = series_.budget > 0;
  const double budget = series_.budget / divisor_;
  const double right = plot()->xAxis->range().upper;
  budgetLine_->setVisible(hasBudget);
  budgetText_->setVisible(hasBudget);
  budgetLine_->start->setCoords(0, budget);
  budgetLine_->end->setCoords(right, budget);
  budgetText_->position->setCoords(right, budget);
  budgetText_->setText(tr("budget %1").arg(bytesText(series_.budget)));

  const double forward = static_cast<double>(forwardCount(series_));
  const bool hasTurn = forward > 0 && forward < static_cast<double>(series_.moments.size());
  turnLine_->setVisible(hasTurn);
  turnLine_->start->setCoords(forward - 0.5, 0);
  turnLine_->end->setCoords(forward - 0.5, top_);
  const double y = plot()->height() - 18;
  const std::array places{(forward - 1) / 2, forward - 0.5, (forward + right) / 2};
  for (std::size_t i = 0; i < passTexts_.size(); ++i) {
    passTexts_[i]->setVisible(hasTurn || (i == 0 && forward > 0));
    passTexts_[i]->position->setCoords(places[i], y);
  }
  pointedChanged();
}

void MemoryStackPlot::applyTheme(const PlotTheme& theme) {
  for (std::size_t i = 0; i < graphs_.size(); ++i) graphs_[i]->setBrush(spaceColor(kStack[i]));
  styleAxis(plot()->xAxis, theme.muted);
  styleAxis(plot()->yAxis, theme.muted);
  QColor faint = theme.text;
  faint.setAlpha(28);
  plot()->yAxis->grid()->setPen(QPen(faint, 1));
  budgetLine_->setPen(QPen(theme.text, 1.4, Qt::DashLine));
  QColor turn = theme.text;
  turn.setAlpha(110);
  turnLine_->setPen(QPen(turn, 1));
  cursorLine_->setPen(QPen(theme.accent, 2));
  QFont small = font();
  small.setPixelSize(12);
  for (QCPItemText* text : passTexts_) {
    text->setFont(small);
    text->setColor(theme.muted);
  }
  small.setWeight(QFont::DemiBold);
  budgetText_->setFont(small);
  budgetText_->setColor(theme.text);
}

int MemoryStackPlot::itemCount() const { return static_cast<int>(series_.moments.size()); }

void MemoryStackPlot::pointedChanged() {
  cursorLine_->setVisible(pointed() >= 0);
  cursorLine_->start->setCoords(pointed(), 0);
  cursorLine_->end->setCoords(pointed(), top_);
}

PointedPlot::Telling MemoryStackPlot::tell(int item) const {
  const MemoryMoment& moment = series_.moments[static_cast<std::size_t>(item)];
  const MemoryMoment* before = item > 0 ? &series_.moments[static_cast<std::size_t>(item) - 1] : nullptr;
  const double change = before ? moment.activation - before->activation : 0;
  QString activation = bytesText(moment.activation);
  if (change > 0) activation += tr(" ↑ rising");
  if (change < 0) activation += tr(" ↓ falling");
  QString dynamic = bytesText(moment.dynamicCache);
  if (moment.resize != 0) dynamic += QStringLiteral("  ") + signedBytesText(moment.resize);
  HoverCard::Rows rows{
      {moment.isForward ? tr("operator %1 forward").arg(moment.operatorIndex)
                        : tr("operator %1 backward").arg(moment.operatorIndex),
       QString::fromStdString(moment.operatorName)},
      {tr("activation"), activation},
      {tr("dynamic cache"), dynamic},
      {tr("static cache"), bytesText(moment.staticCache)},
      {tr("trainable state"), bytesText(moment.trainable)},
      {tr("workspace"), bytesText(moment.workspace)},
      {tr("together"), bytesText(totalOf(moment))}};
  if (!moment.reason.empty()) rows.emplaceBack(tr("reason"), QString::fromStdString(moment.reason));
  const int x = static_cast<int>(plot()->xAxis->coordToPixel(item));
  return {rows, QPoint(x, plot()->axisRect()->top() + 8)};
}

int MemoryStackPlot::itemAt(const QPoint& position) const {
  if (series_.moments.empty() || !plot()->axisRect()->rect().adjusted(-4, -20, 4, 40).contains(position)) return -1;
  const int last = static_cast<int>(series_.moments.size()) - 1;
  return std::clamp(qRound(plot()->xAxis->pixelToCoord(position.x())), 0, last);
}

void MemoryStackPlot::layOut() {
  layOutAxes();
  placeMarks();
}

}  // namespace tidemark::plots
