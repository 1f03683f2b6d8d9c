// Gathers the report of a run from the database and its run directory, for the command line and the workbench alike.
#pragma once

#include "core/report/report.h"
#include "storage/run_store.h"

namespace tidemark::app {

Result<report::RunReport> collectReport(const storage::RunStore& store, const storage::RunRecord& record);

}  // namespace tidemark::app
