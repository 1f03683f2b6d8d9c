#include "plots/run_mark.h"

#include <QPainter>
#include <array>

namespace tidemark::plots {
namespace {

struct Pair {
  QRgb onLight, onDark;
};

// At least 4:1 against the cards of their theme (WCAG 2.1, section 1.4.11 asks for 3:1), neighbours far apart in hue.
constexpr std::array<Pair, 10> kColors{{{0xFF2254D8, 0xFF7DA2FF},
                                        {0xFFC2410C, 0xFFFF9A5C},
                                        {0xFF0F766E, 0xFF4FD1C0},
                                        {0xFF8B3FB5, 0xFFC99BFF},
                                        {0xFF8A6500, 0xFFE3C04A},
                                        {0xFFBE1F63, 0xFFFF8AB8},
                                        {0xFF0277A8, 0xFF5CC8F5},
                                        {0xFF2E7D32, 0xFF86D98A},
                                        {0xFF7A4A32, 0xFFD9A88C},
                                        {0xFF55606F, 0xFFB4BECC}}};
constexpr std::array kShapes{MarkShape::Circle, MarkShape::Diamond, MarkShape::Square};
constexpr std::array kLines{Qt::SolidLine, Qt::DashLine, Qt::DotLine};

std::size_t roundOf(int number) { return static_cast<std::size_t>(number) / kColors.size(); }

}  // namespace

QColor runColor(int number, const PlotTheme& theme) {
  const Pair& pair = kColors[static_cast<std::size_t>(number) % kColors.size()];
  return QColor::fromRgb(theme.background.lightness() < 128 ? pair.onDark : pair.onLight);
}

MarkShape runShape(int number) { return kShapes[roundOf(number) % kShapes.size()]; }

Qt::PenStyle runLine(int number) { return kLines[roundOf(number) % kLines.size()]; }

void drawMark(QPainter& painter, const QRectF& place, const QColor& color, MarkShape shape) {
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(Qt::NoPen);
  painter.setBrush(color);
  const QPointF centre = place.center();
  const double half = std::min(place.width(), place.height()) / 2;
  switch (shape) {
    case MarkShape::Circle: painter.drawEllipse(centre, half, half); break;
    case MarkShape::Square: painter.drawRect(QRectF(centre.x() - 0.85 * half, centre.y() - 0.85 * half, 1.7 * half, 1.7 * half)); break;
    case MarkShape::Diamond:
      painter.drawPolygon(QPolygonF{{centre.x(), centre.y() - half}, {centre.x() + half, centre.y()},
                                    {centre.x(), centre.y() + half}, {centre.x() - half, centre.y()}});
      break;
  }
  painter.restore();
}

}  // namespace tidemark::plots
