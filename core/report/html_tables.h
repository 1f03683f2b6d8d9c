// The report's cards and tables as HTML. Empty text where a run has no such data.
#pragma once

#include <string>

#include "core/report/figures.h"
#include "core/report/report.h"

namespace tidemark::report {

std::string headerBlock(const RunReport& report);
std::string figureCards(const Figures& figures);
std::string planTable(const RunReport& report, const Figures& figures);
std::string operatorTable(const RunReport& report);
std::string rankTable(const RunReport& report);
std::string hyperparameterTable(const RunReport& report);

}  // namespace tidemark::report
