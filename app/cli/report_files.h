// Writes reports to files; the suffix chooses the format.
#pragma once

#include <filesystem>
#include <string>

#include "core/report/report.h"
#include "storage/run_store.h"

namespace tidemark::cli {

// The suffix chooses: .html, .csv or .json. Unsupported: any other.
Status writeReport(const report::RunReports& reports, const std::filesystem::path& target);

// RUN_DIR/report/report.{html,json,csv}. Without a database (`store` empty) the run directory is read into a temporary
// one.
Status writeRunReports(storage::RunStore* store, const std::string& runId, const std::filesystem::path& directory);

}  // namespace tidemark::cli
