#include "plots/pointed_plot.h"

#include <qcustomplot.h>

#include <QKeyEvent>
#include <algorithm>

namespace tidemark::plots {

void PointedPlot::point(int item) {
  item = std::clamp(item, -1, itemCount() - 1);
  const bool isOther = item != pointed_;
  pointed_ = item;
  if (item >= 0) {
    showCard();
  } else {
    PlotFrame::pointerLeft();
    setAccessibleDescription(summary_);
  }
  if (!isOther) return;
  pointedChanged();
  replotSoon();
  emit pointedAt(item);
}

void PointedPlot::showCard() {
  const Telling telling = tell(pointed_);
  card()->showRows(telling.rows, plot()->mapToParent(telling.place));
  setAccessibleDescription(cardText());
}

QString PointedPlot::cardText() const { return pointed_ < 0 ? QString() : card()->plainText(); }

void PointedPlot::itemsChanged(const QString& summary) {
  summary_ = summary;
  if (pointed_ >= itemCount()) return point(-1);
  if (pointed_ < 0) return setAccessibleDescription(summary_);
  pointedChanged();
  if (card()->isVisible()) showCard();
}

void PointedPlot::pointerMoved(const QPoint& position) {
  const int item = itemAt(position);
  if (item < 0 || item != pointed_ || !card()->isVisible()) point(item);
}

void PointedPlot::pointerLeft() { point(-1); }

void PointedPlot::keyPressEvent(QKeyEvent* event) {
  const bool isAcross = direction() == Qt::Horizontal;
  const int last = itemCount() - 1;
  const int key = event->key();
  if (key == Qt::Key_Escape) return point(-1);
  if (last < 0) return PlotFrame::keyPressEvent(event);
  if (key == (isAcross ? Qt::Key_Right : Qt::Key_Down)) return point(std::min(pointed_ + 1, last));
  if (key == (isAcross ? Qt::Key_Left : Qt::Key_Up)) return point(pointed_ < 0 ? last : std::max(pointed_ - 1, 0));
  if (key == Qt::Key_Home) return point(0);
  if (key == Qt::Key_End) return point(last);
  PlotFrame::keyPressEvent(event);
}

}  // namespace tidemark::plots
