// The memory report of one or several runs as a vector PDF: key figures, plots and tables. Draws what it is given.
#pragma once

#include <QString>

#include "ui/report/reported_run.h"

namespace tidemark::ui {

// Several runs are compared on the first page. Needs a QApplication; the plots are widgets that are never shown.
Status writePdfReport(const std::vector<ReportedRun>& runs, const QString& path);

}  // namespace tidemark::ui
