// The report's cards and tables as HTML. Empty text where a run has no such data.
#pragma once

#include <string>

#include "core/report/tables.h"

namespace tidemark::report {

std::string headerBlock(const RunReport& report);
std::string figureCards(const Figures& figures);
std::string section(const Table& table);
std::string subtable(const Table& table);  // a smaller heading, for the end of a section

}  // namespace tidemark::report
