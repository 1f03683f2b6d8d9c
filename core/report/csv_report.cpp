#include <cstdio>

#include "core/report/figures.h"
#include "core/report/report.h"

namespace tidemark::report {
namespace {

// RFC 4180. A spreadsheet would run a text that starts like a formula, so such a text gets an apostrophe first.
std::string textCell(std::string text) {
  if (!text.empty() && std::string("=+-@\t\r\n").find(text[0]) != std::string::npos) text.insert(0, "'");
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

std::string numberCell(double value) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.17g", value);
  for (int digits = 6; digits < 17; ++digits) {  // the shortest that reads back as the same number
    char shorter[32];
    std::snprintf(shorter, sizeof shorter, "%.*g", digits, value);
    if (std::strtod(shorter, nullptr) == value) return shorter;
  }
  return buffer;
}

std::string operatorRow(const run::OperatorEvent& entry) {
  std::string row =
      "operator," + std::to_string(entry.index) + "," + textCell(entry.name) + "," + textCell(entry.trend);
  for (const int64_t bytes : {entry.parameterBytes, entry.remoteBytes, entry.activationBytes, entry.workspaceBytes}) {
    row += "," + std::to_string(bytes);
  }
  for (const double seconds : {entry.forwardSeconds, entry.backwardSeconds, entry.gatherSeconds}) {
    row += "," + numberCell(seconds);
  }
  return row + (entry.isSaved ? ",1,\r\n" : ",0,\r\n");
}

std::string summaryRow(const std::string& name, const std::string& valueCell) {
  return "summary,," + textCell(name) + ",,,,,,,,,," + valueCell + "\r\n";
}

}  // namespace

std::string toCsv(const RunReport& report) {
  // One table for both, so that every reader finds the same number of columns in each row.
  std::string csv =
      "section,index,name,trend,parameter_bytes,remote_bytes,activation_bytes,workspace_bytes,forward_seconds,"
      "backward_seconds,gather_seconds,saved,value\r\n";
  for (const auto& entry : report.operators) csv += operatorRow(entry);
  csv += summaryRow("run", textCell(report.id));
  csv += summaryRow("run_name", textCell(report.name));
  csv += summaryRow("status", textCell(report.status));
  csv += summaryRow("model", textCell(report.model));
  csv += summaryRow("dataset", textCell(report.dataset));
  csv += summaryRow("created_at", textCell(report.createdAt));
  csv += summaryRow("host", textCell(report.host));
  for (const auto& [name, value] : namedFigures(figuresOf(report))) csv += summaryRow(name, numberCell(value));
  for (const auto& [key, value] : report.hyperparameters) csv += summaryRow(key, textCell(value));
  return csv;
}

}  // namespace tidemark::report
