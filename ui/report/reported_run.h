// One run as the workbench's reports and pictures are given it: what was read for its page, and what the report holds.
#pragma once

#include "core/report/report.h"
#include "ui/live/run_detail.h"

namespace tidemark::ui {

struct ReportedRun {
  RunDetail detail;          // all steps of rank 0
  report::RunReport report;
};

}  // namespace tidemark::ui
