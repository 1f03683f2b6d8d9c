#include "core/report/html_tables.h"

#include "core/base/bytes.h"
#include "core/report/html_text.h"

namespace tidemark::report {
namespace {

constexpr const char* kUnknown = "-";

std::string bytesOr(const std::optional<int64_t>& bytes) { return bytes ? formatBytes(*bytes) : kUnknown; }

std::string card(const std::string& label, const std::string& value, const std::string& remark) {
  return "<div class=\"card\"><div class=\"what\">" + escape(label) + "</div><div class=\"value\">" + escape(value) +
         "</div><div class=\"what\">" + escape(remark) + "</div></div>\n";
}

// Rows of cells; the first row is the head. Cells after `textColumns` are numbers and stand to the right.
std::string table(const std::vector<std::vector<std::string>>& rows, size_t textColumns) {
  std::string html = "<div class=\"scroll\"><table>\n";
  for (size_t row = 0; row < rows.size(); ++row) {
    if (row < 2) html += row == 0 ? "<thead>" : "<tbody>";
    html += "<tr>";
    for (size_t i = 0; i < rows[row].size(); ++i) {
      const std::string tag = row == 0 ? "th" : "td";
      html += "<" + tag + (i >= textColumns ? " class=\"number\">" : ">") + escape(rows[row][i]) + "</" + tag + ">";
    }
    html += row == 0 ? "</tr></thead>\n" : "</tr>\n";
  }
  return html + (rows.size() > 1 ? "</tbody>" : "") + "</table></div>\n";
}

std::string section(const std::string& heading, const std::string& content) {
  return "<section><h2>" + escape(heading) + "</h2>\n" + content + "</section>\n";
}

std::string fact(const std::string& label, const std::string& value) {
  return value.empty() ? "" : "<div><dt>" + escape(label) + "</dt><dd>" + escape(value) + "</dd></div>\n";
}

std::string comparison(const std::optional<double>& measured, const std::optional<double>& predicted) {
  return measured && predicted ? difference(*measured, *predicted) : kUnknown;
}

std::optional<double> asReal(const std::optional<int64_t>& value) {
  return value ? std::optional<double>(static_cast<double>(*value)) : std::nullopt;
}

std::string planList(const RunReport& report) {
  if (report.plans.size() < 2) return "";
  std::vector<std::vector<std::string>> rows{
      {"Plan", "Reason", "Policy", "Budget", "Micro-batch", "Accumulate", "Predicted peak", "Predicted remote"}};
  for (size_t i = 0; i < report.plans.size(); ++i) {
    const auto& plan = report.plans[i];
    rows.push_back({std::to_string(i + 1), plan.reason, plan.policy, formatBytes(plan.budgetBytes),
                    std::to_string(plan.microBatch), std::to_string(plan.accumulate),
                    formatBytes(plan.predictedPeakBytes), formatBytes(plan.predictedRemoteBytes)});
  }
  return "<h3>Plans in the order in which they took effect</h3>" + table(rows, 3);
}

}  // namespace

std::string headerBlock(const RunReport& report) {
  std::string facts = fact("Model", report.model) + fact("Data", report.dataset);
  if (report.modelFacts) {
    const auto& model = *report.modelFacts;
    facts += fact("Parameters", grouped(model.parameters) + ", of which trained " + grouped(model.trainableParameters));
    facts += fact("Device", model.device);
  }
  if (report.datasetFacts) {
    const auto& data = *report.datasetFacts;
    facts += fact("Rows", grouped(data.trainRows) + " to train, " + grouped(data.evalRows) + " to evaluate");
    if (data.droppedLong > 0) facts += fact("Left out, too long", grouped(data.droppedLong));
    if (data.truncated > 0) facts += fact("Truncated", grouped(data.truncated));
  }
  facts += fact("Started", report.createdAt) + fact("Host", report.host) + fact("Run", report.id);
  return "<header><h1>" + escape(report.name.empty() ? report.id : report.name) + " <span class=\"status\">" +
         escape(report.status) + "</span></h1>\n<dl>" + facts + "</dl></header>\n";
}

std::string figureCards(const Figures& figures) {
  std::string html = "<div class=\"cards\">\n";
  html +=
      card("Remote per iteration", bytesOr(figures.remoteBytes),
           "optimum " + bytesOr(figures.optimalRemoteBytes) + " · gather-always " + bytesOr(figures.gatherAlwaysBytes));
  html += card("Hit rate", figures.hitRate ? percent(*figures.hitRate) : kUnknown,
               "planned: boundary " + (figures.boundaryHitRate ? percent(*figures.boundaryHitRate) : kUnknown) +
                   " · turn " + (figures.turnHitRate ? percent(*figures.turnHitRate) : kUnknown));
  html += card("Peak", bytesOr(figures.peakBytes),
               "budget " + bytesOr(figures.budgetBytes) + " · predicted " + bytesOr(figures.predictedPeakBytes));
  html +=
      card("Throughput", figures.tokensPerSecond ? fixed(*figures.tokensPerSecond, 0) + " tokens/s" : kUnknown,
           "predicted " + (figures.predictedTokensPerSecond ? fixed(*figures.predictedTokensPerSecond, 0) : kUnknown));
  html += card("Stall", figures.stallFraction ? percent(*figures.stallFraction) : kUnknown, "of the steps' time");
  html += card("Loss", figures.lastLoss ? fixed(*figures.lastLoss, 4) : kUnknown,
               "first step " + (figures.firstLoss ? fixed(*figures.firstLoss, 4) : kUnknown) +
                   (figures.lastEvalLoss ? " · evaluation " + fixed(*figures.lastEvalLoss, 4) : ""));
  return html + "</div>\n";
}

std::string planTable(const RunReport& report, const Figures& figures) {
  if (report.plans.empty()) return "";
  const auto tokens = [](const std::optional<double>& value) { return value ? fixed(*value, 1) : kUnknown; };
  const auto time = [](const std::optional<double>& value) { return value ? seconds(*value) : kUnknown; };
  const std::vector<std::vector<std::string>> rows{
      {"Figure", "Plan", "Measured", "Difference"},
      {"Peak memory", bytesOr(figures.predictedPeakBytes), bytesOr(figures.peakBytes),
       comparison(asReal(figures.peakBytes), asReal(figures.predictedPeakBytes))},
      {"Remote bytes per iteration", bytesOr(figures.predictedRemoteBytes), bytesOr(figures.remoteBytes),
       comparison(asReal(figures.remoteBytes), asReal(figures.predictedRemoteBytes))},
      {"Least remote bytes that any plan gathers", bytesOr(figures.optimalRemoteBytes), bytesOr(figures.remoteBytes),
       comparison(asReal(figures.remoteBytes), asReal(figures.optimalRemoteBytes))},
      {"Time per iteration", time(figures.predictedSecondsPerIteration), time(figures.secondsPerIteration),
       comparison(figures.secondsPerIteration, figures.predictedSecondsPerIteration)},
      {"Tokens per second", tokens(figures.predictedTokensPerSecond), tokens(figures.tokensPerSecond),
       comparison(figures.tokensPerSecond, figures.predictedTokensPerSecond)}};
  return section("Plan against measurement", table(rows, 1) + planList(report));
}

std::string operatorTable(const RunReport& report) {
  if (report.operators.empty()) return "";
  std::vector<std::vector<std::string>> rows{{"#", "Operator", "Trend", "Activation", "Parameters", "Remote",
                                              "Activation bytes", "Workspace", "Forward", "Backward", "Gather"}};
  for (const auto& entry : report.operators) {
    rows.push_back({std::to_string(entry.index), entry.name, entry.trend, entry.isSaved ? "saved" : "recomputed",
                    formatBytes(entry.parameterBytes), formatBytes(entry.remoteBytes),
                    formatBytes(entry.activationBytes), formatBytes(entry.workspaceBytes),
                    seconds(entry.forwardSeconds), seconds(entry.backwardSeconds), seconds(entry.gatherSeconds)});
  }
  return section("Operators, as measured in the first iteration on rank 0", table(rows, 4));
}

std::string rankTable(const RunReport& report) {
  if (report.lastStepOfRank.empty()) return "";
  std::vector<std::vector<std::string>> rows{{"Rank", "Step", "Peak", "Static", "Dynamic peak", "Activation peak",
                                              "Workspace peak", "Trainable", "Resident", "Remote in the step",
                                              "Stall"}};
  for (const auto& [rank, step] : report.lastStepOfRank) {
    rows.push_back({std::to_string(rank), std::to_string(step.step), formatBytes(step.peakBytes),
                    formatBytes(step.staticBytes), formatBytes(step.dynamicPeakBytes),
                    formatBytes(step.activationPeakBytes), formatBytes(step.workspacePeakBytes),
                    formatBytes(step.trainableBytes), formatBytes(step.residentBytes), formatBytes(step.remoteBytes),
                    seconds(step.stallSeconds)});
  }
  return section("Ranks, in their last step", table(rows, 1));
}

std::string hyperparameterTable(const RunReport& report) {
  if (report.hyperparameters.empty()) return "";
  std::vector<std::vector<std::string>> rows{{"Key", "Value"}};
  for (const auto& [key, value] : report.hyperparameters) rows.push_back({key, value});
  return section("Hyperparameters", table(rows, 2));
}

}  // namespace tidemark::report
