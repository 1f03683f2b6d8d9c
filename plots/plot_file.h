// Writes one plot into a file for papers and slides: PNG at twice the screen's density, or SVG, in the light theme, with its
// title and a legend of what its colours mean.
#pragma once

#include <QColor>
#include <QImage>
#include <QString>
#include <functional>
#include <vector>

#include "plots/run_mark.h"

class QWidget;

namespace tidemark::plots {

class PlotFrame;

struct LegendEntry {
  QString name;
  QColor color;
  MarkShape shape = MarkShape::Square;
};

std::vector<LegendEntry> spaceLegend();

// The suffix chooses: .png or .svg. What was there is replaced as a whole, or left as it was. Empty: done; else why not.
QString writePlot(PlotFrame& plot, const QString& path);
QImage imageOf(PlotFrame& plot);

// "first: memory, by operator" as the name of a file, without a suffix.
QString fileNameFor(const QString& title);

// Asks for a file without blocking, and hands its path on; a suffix is added where none was typed.
void askForPlotFile(QWidget* parent, const QString& suggestedName, const std::function<void(const QString& path)>& chosen);

}  // namespace tidemark::plots
