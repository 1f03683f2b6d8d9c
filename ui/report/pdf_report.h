// The memory report of one run as a vector PDF: key figures, plots and tables. Draws what it is given.
#pragma once

#include <QString>

#include "ui/live/run_detail.h"

namespace tidemark::ui {

// `detail` holds all steps of its rank. Needs a QApplication; the plots are widgets that are never shown.
Status writePdfReport(const RunDetail& detail, const QString& path);

}  // namespace tidemark::ui
