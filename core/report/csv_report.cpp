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

std::string operatorRow(const std::string& runCell, const run::OperatorEvent& entry) {
  std::string row =
      runCell + ",operator," + std::to_string(entry.index) + "," + textCell(entry.name) + "," + textCell(entry.trend);
  for (const int64_t bytes : {entry.parameterBytes, entry.remoteBytes, entry.activationBytes, entry.workspaceBytes}) {
    row += "," + std::to_string(bytes);
  }
  for (const double seconds : {entry.forwardSeconds, entry.backwardSeconds, entry.gatherSeconds}) {
    row += "," + numberCell(seconds);
  }
  return row + (entry.isSaved ? ",1,\r\n" : ",0,\r\n");
}

std::string summaryRow(const std::string& runCell, const std::string& name, const std::string& valueCell) {
  return runCell + ",summary,," + textCell(name) + ",,,,,,,,,," + valueCell + "\r\n";
}

std::string rowsOf(const RunReport& report) {
  const std::string runCell = textCell(report.id);
  std::string csv;
  for (const auto& entry : report.operators) csv += operatorRow(runCell, entry);
  const std::pair<const char*, const std::string*> texts[] = {{"run", &report.id},         {"run_name", &report.name},   {"status", &report.status},
                                                              {"model", &report.model},    {"dataset", &report.dataset}, {"created_at", &report.createdAt},
                                                              {"host", &report.host},      {"system", &report.system},   {"trained_by", &report.trainedBy}};
  for (const auto& [name, text] : texts) csv += summaryRow(runCell, name, textCell(*text));
  if (report.modelFacts) csv += summaryRow(runCell, "device", textCell(report.modelFacts->device));
  for (const auto& [name, value] : namedFigures(figuresOf(report))) csv += summaryRow(runCell, name, numberCell(value));
  for (const auto& [key, value] : report.hyperparameters) csv += summaryRow(runCell, key, textCell(value));
  return csv;
}

}  // namespace

std::string toCsv(const RunReports& reports) {
  // One table for all, so that every reader finds the same number of columns in each row.
  std::string csv =
      "run,section,index,name,trend,parameter_bytes,remote_bytes,activation_bytes,workspace_bytes,forward_seconds,"
      "backward_seconds,gather_seconds,saved,value\r\n";
  for (const RunReport& report : reports) csv += rowsOf(report);
  return csv;
}

}  // namespace tidemark::report
