#include "app/cli/plan_table.h"

#include <algorithm>
#include <cstdio>

#include "app/cli/table.h"
#include "app/cli/words.h"
#include "core/base/bytes.h"
#include "core/base/counted.h"

namespace tidemark::cli {
namespace {

constexpr double kGib = 1073741824.0;
constexpr size_t kShownNeighbours = 5, kShownLacking = 3;

std::string number(double value, int digits) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}

std::string speedText(double tokensPerSecond) { return number(tokensPerSecond, tokensPerSecond < 100 ? 1 : 0); }

std::string bindsText(const fit::Prediction& p) {
  if (!p.hasSpeed) return p.remoteBytes > 0 ? "gathers" : "-";
  if (p.binds == fit::Binds::Compute) return "compute";
  return std::string(bindsName(p.binds)) + " " + number(100 * p.waitingShare, 0) + " %";
}

std::string lackText(const fit::Prediction& p) {
  if (!p.refusal.empty()) return "cannot be: " + p.refusal;
  if (p.budgetBytes == 0) return "needs " + formatBytes(p.leastBudgetBytes) + " at least";
  return "does not fit: needs " + formatBytes(p.leastBudgetBytes) + ", " + formatBytes(p.leastBudgetBytes - p.budgetBytes) + " more";
}

// "micro_batch_size", "weights": the key without its section.
std::string shortName(const std::string& key) { return key.substr(key.rfind('.') + 1); }

std::vector<std::string> headings(const fit::Found& first) {
  std::vector<std::string> cells;
  for (const auto& [key, value] : first.settings) cells.push_back(shortName(key) == "micro_batch_size" ? "micro-batch" : shortName(key));
  for (const char* name : {"peak", "static", "dynamic", "activation", "workspace", "trainable", "again", "remote/iter.", "tokens/s", "binds", "speed"})
    cells.emplace_back(name);
  return cells;
}

// A line of its own: the table's columns say nothing about it.
std::string lackLine(const fit::Found& found) {
  std::string line = "  ";
  for (const auto& [key, value] : found.settings) line += shortName(key) + " " + value + ", ";
  line.resize(line.size() - 2);
  return line + ": " + lackText(found.prediction);
}

// Automatic activations that save everything, for example.
bool isSame(const fit::Found& a, const fit::Found& b) {
  const fit::Prediction &p = a.prediction, &q = b.prediction;
  size_t differing = 0;
  for (size_t i = 0; i < a.settings.size(); ++i)
    if (a.settings[i] != b.settings[i]) differing += a.settings[i].first == "memory.activations" ? 1 : 2;
  return differing <= 1 && p.peak.total() == q.peak.total() && p.remoteBytes == q.remoteBytes && p.recomputedOperators == q.recomputedOperators;
}

std::vector<std::string> cellsOf(const fit::Found& found) {
  const fit::Prediction& p = found.prediction;
  std::vector<std::string> cells;
  for (const auto& [key, value] : found.settings)
    cells.push_back(key == "training.micro_batch_size" && value == "auto" && p.microBatch > 0 ? std::to_string(p.microBatch) : value);
  for (const int64_t bytes : {p.peak.total(), p.peak.staticBytes, p.peak.dynamicBytes, p.peak.activationBytes, p.peak.workspaceBytes, p.peak.trainableBytes})
    cells.push_back(formatBytes(bytes));
  cells.push_back(std::to_string(p.recomputedOperators) + "/" + std::to_string(p.operators));
  cells.push_back(formatBytes(p.remoteBytes));
  cells.push_back(p.hasSpeed ? speedText(p.tokensPerSecond) : "unknown");
  cells.push_back(bindsText(p));
  cells.emplace_back(!p.hasSpeed ? "-" : p.isProfiled ? "profiled" : "computed");
  return cells;
}

std::string figureText(const fit::Figure& figure, const std::string& text) { return text + " (" + originName(figure.origin) + ")"; }

std::string machineText(const fit::Machine& m) {
  if (!m.hasSpeed()) return "unknown: give --flops and --bandwidth for tokens/s; choices are ordered as on a nominal machine";
  std::string text = figureText(m.operationsPerSecond, number(m.operationsPerSecond.value / 1e12, 3) + " TFLOP/s a rank") + " at " +
                     figureText(m.efficiency, number(100 * m.efficiency.value, 0) + " %") + ", gathers " +
                     figureText(m.bytesPerSecond, number(m.bytesPerSecond.value / kGib, 2) + " GiB/s") + ", " +
                     figureText(m.latencySeconds, number(1e6 * m.latencySeconds.value, 0) + " us") + " a message";
  return text;
}

void printHead(const PlanAnswer& answer) {
  const fit::Prediction& p = answer.present;
  print("Budget " + formatBytes(p.budgetBytes) + " a rank" + (answer.budgetSource.empty() ? "" : " (" + answer.budgetSource + ")") + ", " +
        counted(p.config.parallel.ranks, "rank") + ", sequences of " + std::to_string(p.config.dataset.maxSeqLength) + " tokens, global batch " +
        std::to_string(p.config.training.globalBatchSize));
  const fit::Machine& m = answer.machine;
  if (answer.measured.profiles.empty()) {
    print("Peaks: computed from the model's header and the data's lengths. Nothing was measured.");
    print("Speed: " + machineText(m));
    return;
  }
  std::string forms;
  for (const fit::Profile& profile : answer.measured.profiles) forms += (forms.empty() ? "" : ", ") + profile.weights;
  print("Peaks and speed: one iteration of one process measured with weights " + forms + ", scaled by formulas to each choice");
  print("Gathers: " + figureText(m.bytesPerSecond, number(m.bytesPerSecond.value / kGib, 2) + " GiB/s") +
        (m.processorSecondsPerByte > 0
             ? ", each GiB takes " + number(m.processorSecondsPerByte * kGib, 2) + " s of processor time (measured); " +
                   counted(m.processors, "processor") + " for " + counted(p.config.parallel.ranks, "rank")
             : ""));
}

}  // namespace

std::string neighbourWords(const fit::Neighbour& n) {
  return n.key + "=" + n.value + ": peak " + formatBytes(n.prediction.peak.total()) +
         (n.prediction.hasSpeed ? ", " + speedText(n.prediction.tokensPerSecond) + " tokens/s" : "");
}

Json choiceJson(const fit::Prediction& p, const char* event) {
  const run::RunConfig& c = p.config;
  Json line{{"event", event}, {"fits", p.fits}, {"policy", c.memory.policy}, {"micro_batch", p.microBatch}, {"accumulate", p.accumulate}, {"breadth", p.breadth},
            {"sequence_length", c.dataset.maxSeqLength}, {"r", c.peft.r}, {"ranks", c.parallel.ranks}, {"activations", c.memory.activations},
            {"weights", c.memory.weights}, {"budget_bytes", p.budgetBytes}, {"least_budget_bytes", p.leastBudgetBytes},
            {"whole_budget_bytes", p.wholeBudgetBytes}, {"speed_known", p.hasSpeed}, {"profiled", p.isProfiled}};
  if (!p.fits) {
    line["reason"] = lackText(p);
    return line;
  }
  line.update({{"predicted_peak_bytes", p.peak.total()}, {"peak_moment", p.peakMoment}, {"static_bytes", p.peak.staticBytes},
               {"dynamic_bytes", p.peak.dynamicBytes}, {"activation_bytes", p.peak.activationBytes},
               {"workspace_bytes", p.peak.workspaceBytes}, {"trainable_bytes", p.peak.trainableBytes},
               {"predicted_remote_bytes", p.remoteBytes}, {"optimal_remote_bytes", p.optimalRemoteBytes},
               {"recomputed_operators", p.recomputedOperators}, {"operators", p.operators}});
  if (p.hasSpeed)
    line.update({{"predicted_tokens_per_second", p.tokensPerSecond}, {"predicted_tokens_per_second_if_hidden", p.tokensPerSecondIfHidden},
                 {"predicted_step_seconds", p.secondsPerStep}, {"binds", bindsName(p.binds)}, {"waiting_share", p.waitingShare}});
  return line;
}

void printPlanJson(const PlanAnswer& answer) {
  const fit::Machine& m = answer.machine;
  const auto figure = [](const fit::Figure& f) { return Json{{"value", f.value}, {"origin", originName(f.origin)}}; };
  printData(Json{{"event", "machine"}, {"memory_bytes", m.memoryBytes}, {"operations_per_second", figure(m.operationsPerSecond)},
                 {"efficiency", figure(m.efficiency)}, {"bytes_per_second", figure(m.bytesPerSecond)}, {"latency_seconds", figure(m.latencySeconds)},
                 {"processor_seconds_per_byte", m.processorSecondsPerByte}, {"processors", m.processors},
                 {"search_seconds", answer.searchSeconds}}.dump());
  if (!answer.measured.profiles.empty()) printData(fit::toJson(answer.measured.gathers).dump());
  for (const fit::Profile& profile : answer.measured.profiles) printData(fit::toJson(profile).dump());
  printData(choiceJson(answer.present, "present").dump());
  for (const fit::Found& found : answer.found) {
    Json line = choiceJson(found.prediction, "choice");
    for (const auto& [key, value] : found.settings) line["settings"][key] = value;
    printData(line.dump());
  }
  for (const fit::Neighbour& neighbour : answer.neighbours) {
    Json line = choiceJson(neighbour.prediction, "neighbour");
    line["key"] = neighbour.key;
    line["value"] = neighbour.value;
    printData(line.dump());
  }
}

void printPlanTable(const PlanAnswer& answer, size_t best) {
  printHead(answer);
  print("");
  std::vector<std::vector<std::string>> rows;
  if (!answer.found.empty()) rows.push_back(headings(answer.found.front()));
  const auto fitting = static_cast<size_t>(std::count_if(answer.found.begin(), answer.found.end(), [](const auto& f) { return f.prediction.fits; }));
  const size_t lacking = answer.found.size() - fitting;
  size_t shown = 0, same = 0;
  for (size_t i = 0; i < fitting && rows.size() <= best; ++i, ++shown) {
    if (i > 0 && isSame(answer.found[i], answer.found[i - 1])) ++same;
    else rows.push_back(cellsOf(answer.found[i]));
  }
  if (fitting > 0) printTable(rows);
  print("");
  print(counted(static_cast<int64_t>(answer.found.size()), "choice") + ": " + std::to_string(fitting) + " fit, " + std::to_string(lacking) +
        " do not" + (shown < fitting ? "; the first " + std::to_string(shown) + " are shown (--best, --json for all)" : "") +
        (same > 0 ? "; " + std::to_string(same) + " that come to the same as the one above are left out" : "") +
        ". Searched in " + number(answer.searchSeconds, 2) + " s.");
  if (lacking > 0) print("The nearest of those that do not:");
  for (size_t i = fitting; i < std::min(answer.found.size(), fitting + kShownLacking); ++i) print(lackLine(answer.found[i]));
  const fit::Prediction& p = answer.present;
  if (!p.fits) print("The configuration as it is " + lackText(p) + ".");
  if (answer.neighbours.empty()) return;
  print(p.fits ? "From the configuration as it is (peak " + formatBytes(p.peak.total()) +
                     (p.hasSpeed ? ", " + speedText(p.tokensPerSecond) + " tokens/s" : "") + "), single changes that are faster or smaller:"
               : "Single changes of it that fit:");
  for (size_t i = 0; i < std::min(kShownNeighbours, answer.neighbours.size()); ++i) print("  " + neighbourWords(answer.neighbours[i]));
}

}  // namespace tidemark::cli
