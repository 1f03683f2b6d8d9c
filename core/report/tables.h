// The report's facts and tables as texts, once for all formats that lay tables out. Empty rows where a run has no such data.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/report/figures.h"
#include "core/report/report.h"

namespace tidemark::report {

struct Table {
  std::string heading;
  std::vector<std::vector<std::string>> rows;  // the first is the head
  size_t textColumns = 1;                      // columns after these are numbers
  std::string remark = {};                     // below it
};

using Facts = std::vector<std::pair<std::string, std::string>>;  // without those that are not known
Facts factsOf(const RunReport& report);  // model, data, device, versions, when and where

Table planTable(const RunReport& report, const Figures& figures);  // plan against measurement
Table planList(const RunReport& report);                           // where there was more than one
Table operatorTable(const RunReport& report);
Table rankTable(const RunReport& report);
Table hyperparameterTable(const RunReport& report);

// Several runs: settings that differ, and results, with a column for each.
Table differenceTable(const RunReports& reports);
Table resultTable(const RunReports& reports);
// Traffic beside gathering every piece whenever it is used, as counted; and as measured where a run did just that.
Table gatherAlwaysTable(const RunReports& reports);

}  // namespace tidemark::report
