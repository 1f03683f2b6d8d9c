// How a run looks wherever several are shown, in plots, tables and legends alike: colour, marker and line style by its
// number. After ten colours the next marker and line style follow, so that runs do not differ by colour alone.
#pragma once

#include <QColor>
#include <QRectF>
#include <Qt>

#include "plots/plot_theme.h"

class QPainter;

namespace tidemark::plots {

enum class MarkShape { Circle, Diamond, Square };

QColor runColor(int number, const PlotTheme& theme);
MarkShape runShape(int number);
Qt::PenStyle runLine(int number);

void drawMark(QPainter& painter, const QRectF& place, const QColor& color, MarkShape shape);

}  // namespace tidemark::plots
