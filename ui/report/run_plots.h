// The plots of one run by themselves: as the PDF report lays them out, and as pictures in a folder.
#pragma once

#include <QString>
#include <QStringList>
#include <memory>
#include <vector>

#include "plots/plot_frame.h"
#include "ui/report/reported_run.h"

namespace tidemark::ui {

struct RunPlot {
  QString title;  // "Memory over one iteration, MiB on rank 0"
  int height = 0; // in a report, in points
  std::unique_ptr<plots::PlotFrame> plot;
};

// Those that the run has data for. Needs a QApplication; the widgets are never shown.
std::vector<RunPlot> plotsOf(const ReportedRun& run);

// Each as PNG and as SVG; the folder is made. Returns the files.
Result<QStringList> writePlots(const std::vector<ReportedRun>& runs, const QString& folder);

}  // namespace tidemark::ui
