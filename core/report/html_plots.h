// The report's plots as HTML figures: heading, legend and inline SVG. Empty text where a run has no such data.
#pragma once

#include <string>

#include "core/report/report.h"

namespace tidemark::report {

std::string memoryPlot(const run::TimelineEvent& timeline, const std::string& heading);
std::string spacesPlot(const RunReport& report);  // the spaces' peaks over the steps
std::string activationPlot(const RunReport& report);
std::string lossPlot(const RunReport& report);
std::string throughputPlot(const RunReport& report);

}  // namespace tidemark::report
