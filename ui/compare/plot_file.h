// Writes one plot into a file for papers and slides: PNG at twice the screen's density, or SVG, in the light theme, with a
// title and a legend of what its colours mean.
#pragma once

#include <QColor>
#include <QString>
#include <QWidget>
#include <functional>
#include <vector>

#include "core/base/result.h"
#include "plots/run_mark.h"
#include "ui/compare/compared_run.h"

namespace tidemark::plots {
class PlotFrame;
}

namespace tidemark::ui {

struct LegendEntry {
  QString name;
  QColor color;
  plots::MarkShape shape = plots::MarkShape::Square;
};

struct PlotPicture {
  QString title;
  std::vector<LegendEntry> legend;
};

std::vector<LegendEntry> spaceLegend();
std::vector<LegendEntry> runLegend(const ComparedRuns& runs, const std::vector<int>& marks);

// The suffix chooses: .png or .svg. What was there is replaced as a whole, or left as it was.
Status writePlot(plots::PlotFrame& plot, const PlotPicture& picture, const QString& path);

// Asks for a file without blocking, and hands its path on; a suffix is added where none was typed.
void askForPlotFile(QWidget* parent, const QString& suggestedName, const std::function<void(const QString& path)>& chosen);

}  // namespace tidemark::ui
