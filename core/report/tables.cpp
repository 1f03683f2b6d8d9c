#include "core/report/tables.h"

#include <algorithm>

#include "core/base/bytes.h"
#include "core/report/html_text.h"

namespace tidemark::report {
namespace {

constexpr const char* kUnknown = "-";

std::string bytesOr(const std::optional<int64_t>& bytes) { return bytes ? formatBytes(*bytes) : kUnknown; }
std::string secondsOr(const std::optional<double>& value) { return value ? seconds(*value) : kUnknown; }
std::string numberOr(const std::optional<double>& value, int digits) { return value ? fixed(*value, digits) : kUnknown; }

std::string comparison(const std::optional<double>& measured, const std::optional<double>& predicted) {
  return measured && predicted ? difference(*measured, *predicted) : kUnknown;
}

std::optional<double> asReal(const std::optional<int64_t>& value) {
  return value ? std::optional<double>(static_cast<double>(*value)) : std::nullopt;
}

std::string titleOf(const RunReport& report) { return report.name.empty() ? report.id : report.name; }

std::string settingOf(const RunReport& report, const std::string& key) {
  for (const auto& [name, value] : report.hyperparameters)
    if (name == key) return value;
  return kUnknown;
}

bool gathersAlways(const RunReport& report) {
  return report.plans.empty() ? settingOf(report, "memory.policy") == "gather-always" : report.plans.back().policy == "gather-always";
}

// A row of one figure of every run.
template <typename Text>
std::vector<std::string> rowOf(const std::string& name, const RunReports& reports, Text text) {
  std::vector<std::string> row{name};
  for (const RunReport& report : reports) row.push_back(text(report, figuresOf(report)));
  return row;
}

std::vector<std::string> headOf(const std::string& first, const RunReports& reports) {
  std::vector<std::string> head{first};
  for (const RunReport& report : reports) head.push_back(titleOf(report));
  return head;
}

}  // namespace

Facts factsOf(const RunReport& report) {
  Facts facts;
  const auto add = [&](const std::string& name, const std::string& value) {
    if (!value.empty()) facts.emplace_back(name, value);
  };
  add("Model", report.model);
  add("Data", report.dataset);
  if (report.modelFacts) {
    const auto& model = *report.modelFacts;
    add("Parameters", grouped(model.parameters) + ", of which trained " + grouped(model.trainableParameters));
    add("Architecture", model.architecture + (model.layers > 0 ? ", " + std::to_string(model.layers) + " layers, " + model.format : ""));
    add("Device", model.device);
  }
  if (report.datasetFacts) {
    const auto& data = *report.datasetFacts;
    add("Rows", grouped(data.trainRows) + " to train, " + grouped(data.evalRows) + " to evaluate");
    if (data.droppedLong > 0) add("Left out, too long", grouped(data.droppedLong));
    if (data.truncated > 0) add("Truncated", grouped(data.truncated));
  }
  add("Started", report.createdAt);
  add("Trained by", report.trainedBy.empty() ? "" : "Tidemark " + report.trainedBy);
  add("Report by", report.tidemarkVersion.empty() ? "" : "Tidemark " + report.tidemarkVersion);
  add("Host", report.host);
  add("System", report.system);
  add("Run", report.id);
  return facts;
}

Table planTable(const RunReport& report, const Figures& figures) {
  Table table{"Plan against measurement", {}};
  if (report.plans.empty()) return table;
  table.rows = {
      {"Figure", "Plan", "Measured", "Difference"},
      {"Peak memory", bytesOr(figures.predictedPeakBytes), bytesOr(figures.peakBytes),
       comparison(asReal(figures.peakBytes), asReal(figures.predictedPeakBytes))},
      {"Remote bytes per iteration", bytesOr(figures.predictedRemoteBytes), bytesOr(figures.remoteBytes),
       comparison(asReal(figures.remoteBytes), asReal(figures.predictedRemoteBytes))},
      {"Least remote bytes that any plan gathers", bytesOr(figures.optimalRemoteBytes), bytesOr(figures.remoteBytes),
       comparison(asReal(figures.remoteBytes), asReal(figures.optimalRemoteBytes))},
      {"Time per iteration", secondsOr(figures.predictedSecondsPerIteration), secondsOr(figures.secondsPerIteration),
       comparison(figures.secondsPerIteration, figures.predictedSecondsPerIteration)},
      {"Tokens per second", numberOr(figures.predictedTokensPerSecond, 1), numberOr(figures.tokensPerSecond, 1),
       comparison(figures.tokensPerSecond, figures.predictedTokensPerSecond)}};
  return table;
}

Table planList(const RunReport& report) {
  Table table{"Plans in the order in which they took effect", {}, 3};
  if (report.plans.size() < 2) return table;
  table.rows = {{"Plan", "Reason", "Policy", "Budget", "Micro-batch", "Accumulate", "Predicted peak", "Predicted remote"}};
  for (size_t i = 0; i < report.plans.size(); ++i) {
    const auto& plan = report.plans[i];
    table.rows.push_back({std::to_string(i + 1), plan.reason, plan.policy, formatBytes(plan.budgetBytes), std::to_string(plan.microBatch),
                          std::to_string(plan.accumulate), formatBytes(plan.predictedPeakBytes), formatBytes(plan.predictedRemoteBytes)});
  }
  return table;
}

Table operatorTable(const RunReport& report) {
  Table table{"Operators, as measured in the first iteration on rank 0", {}, 4};
  if (report.operators.empty()) return table;
  table.rows = {{"#", "Operator", "Trend", "Activation", "Parameters", "Remote", "Activation bytes", "Workspace", "Forward", "Backward", "Gather"}};
  for (const auto& entry : report.operators) {
    table.rows.push_back({std::to_string(entry.index), entry.name, entry.trend, entry.isSaved ? "saved" : "recomputed",
                          formatBytes(entry.parameterBytes), formatBytes(entry.remoteBytes), formatBytes(entry.activationBytes),
                          formatBytes(entry.workspaceBytes), seconds(entry.forwardSeconds), seconds(entry.backwardSeconds),
                          seconds(entry.gatherSeconds)});
  }
  return table;
}

Table rankTable(const RunReport& report) {
  Table table{"Ranks, in their last step", {}};
  if (report.lastStepOfRank.empty()) return table;
  table.rows = {{"Rank", "Step", "Peak", "Static", "Dynamic peak", "Activation peak", "Workspace peak", "Trainable", "Resident", "Remote in the step", "Stall"}};
  for (const auto& [rank, step] : report.lastStepOfRank) {
    table.rows.push_back({std::to_string(rank), std::to_string(step.step), formatBytes(step.peakBytes), formatBytes(step.staticBytes),
                          formatBytes(step.dynamicPeakBytes), formatBytes(step.activationPeakBytes), formatBytes(step.workspacePeakBytes),
                          formatBytes(step.trainableBytes), formatBytes(step.residentBytes), formatBytes(step.remoteBytes),
                          seconds(step.stallSeconds)});
  }
  return table;
}

Table hyperparameterTable(const RunReport& report) {
  Table table{"Configuration", {}, 2};
  if (report.hyperparameters.empty()) return table;
  table.rows = {{"Key", "Value"}};
  for (const auto& [key, value] : report.hyperparameters) table.rows.push_back({key, value});
  return table;
}

Table differenceTable(const RunReports& reports) {
  Table table{"Settings that differ", {}, reports.size() + 1};
  if (reports.size() < 2) return table;
  std::vector<std::string> keys;
  for (const RunReport& report : reports)
    for (const auto& setting : report.hyperparameters)
      if (std::find(keys.begin(), keys.end(), setting.first) == keys.end()) keys.push_back(setting.first);
  table.rows = {headOf("Key", reports)};
  for (const std::string& key : keys) {
    if (key == "output.dir") continue;
    std::vector<std::string> row{key};
    for (const RunReport& report : reports) row.push_back(settingOf(report, key));
    if (std::any_of(row.begin() + 2, row.end(), [&](const std::string& value) { return value != row[1]; })) table.rows.push_back(std::move(row));
  }
  if (table.rows.size() == 1) table.rows.clear();
  return table;
}

Table resultTable(const RunReports& reports) {
  Table table{"Results", {}};
  if (reports.size() < 2) return table;
  using R = RunReport;
  using F = Figures;
  table.rows = {headOf("Result", reports),
                rowOf("Status", reports, [](const R& r, const F&) { return r.status; }),
                rowOf("Steps", reports, [](const R&, const F& f) { return grouped(f.steps); }),
                rowOf("Loss, first step", reports, [](const R&, const F& f) { return numberOr(f.firstLoss, 4); }),
                rowOf("Loss, last step", reports, [](const R&, const F& f) { return numberOr(f.lastLoss, 4); }),
                rowOf("Evaluation loss, last", reports, [](const R&, const F& f) { return numberOr(f.lastEvalLoss, 4); }),
                rowOf("Budget", reports, [](const R&, const F& f) { return bytesOr(f.budgetBytes); }),
                rowOf("Peak, planned", reports, [](const R&, const F& f) { return bytesOr(f.predictedPeakBytes); }),
                rowOf("Peak, measured", reports, [](const R&, const F& f) { return bytesOr(f.peakBytes); }),
                rowOf("Time per iteration, planned", reports, [](const R&, const F& f) { return secondsOr(f.predictedSecondsPerIteration); }),
                rowOf("Time per iteration, measured", reports, [](const R&, const F& f) { return secondsOr(f.secondsPerIteration); }),
                rowOf("Tokens per second", reports, [](const R&, const F& f) { return numberOr(f.tokensPerSecond, 1); }),
                rowOf("Stall", reports, [](const R&, const F& f) { return f.stallFraction ? percent(*f.stallFraction) : kUnknown; }),
                rowOf("Remote per iteration, planned", reports, [](const R&, const F& f) { return bytesOr(f.predictedRemoteBytes); }),
                rowOf("Remote per iteration, measured", reports, [](const R&, const F& f) { return bytesOr(f.remoteBytes); })};
  return table;
}

Table gatherAlwaysTable(const RunReports& reports) {
  Table table{"Beside gathering always", {}, 2};
  const auto measured = std::find_if(reports.begin(), reports.end(), gathersAlways);
  const bool isMeasured = measured != reports.end();
  const Figures always = isMeasured ? figuresOf(*measured) : Figures{};
  table.rows = {{"Run", "Policy", "Remote if always gathered", "Remote, measured", "Not gathered", "Tokens per second"}};
  if (isMeasured) table.rows.front().push_back("Against the run that gathers always");
  for (const RunReport& report : reports) {
    const Figures figures = figuresOf(report);
    if (!figures.gatherAlwaysBytes) continue;
    const std::string policy = report.plans.empty() ? settingOf(report, "memory.policy") : report.plans.back().policy;
    table.rows.push_back({titleOf(report), policy, bytesOr(figures.gatherAlwaysBytes), bytesOr(figures.remoteBytes),
                          figures.hitRate ? percent(*figures.hitRate) : kUnknown, numberOr(figures.tokensPerSecond, 1)});
    if (!isMeasured) continue;
    table.rows.back().push_back(&report == &*measured ? "is that run" : comparison(figures.tokensPerSecond, always.tokensPerSecond) + " tokens per second");
  }
  if (table.rows.size() == 1) table.rows.clear();
  table.remark = isMeasured ? "Measured: " + titleOf(*measured) + " gathers every piece for every use."
                            : "Counted from the pieces' sizes; name a run with memory.policy: gather-always as well to have it measured.";
  return table;
}

}  // namespace tidemark::report
