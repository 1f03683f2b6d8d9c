#include "ui/compare/mark_icon.h"

#include <QPainter>
#include <QPixmap>

#include "plots/run_mark.h"

namespace tidemark::ui {
namespace {

constexpr int kSizePx = 12;
constexpr int kDensity = 2;  // sharp on screens of twice the density, too

}  // namespace

QIcon markIcon(int mark, const plots::PlotTheme& theme) {
  QPixmap pixmap(kDensity * kSizePx, kDensity * kSizePx);
  pixmap.setDevicePixelRatio(kDensity);
  pixmap.fill(Qt::transparent);
  QPainter painter(&pixmap);
  plots::drawMark(painter, QRectF(1, 1, kSizePx - 2, kSizePx - 2), plots::runColor(mark, theme), plots::runShape(mark));
  painter.end();
  return QIcon(pixmap);
}

}  // namespace tidemark::ui
