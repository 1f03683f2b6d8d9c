#include "core/report/html_plots.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/base/bytes.h"
#include "core/report/html_text.h"
#include "core/report/svg_plot.h"

namespace tidemark::report {
namespace {

// The colours of the spaces: the same everywhere in the product, and distinct for colour-blind people.
constexpr const char* kStatic = "#5B7DB1";
constexpr const char* kDynamic = "#2A9D8F";
constexpr const char* kActivation = "#E9A23B";
constexpr const char* kWorkspace = "#C8553D";
constexpr const char* kTrainable = "#8064A2";
constexpr const char* kCurve = "#5B7DB1";
constexpr const char* kTogether = "#8A94A6";

using Legend = std::vector<std::pair<std::string, std::string>>;  // colour, text

std::string figure(const std::string& heading, const std::string& remark, const Legend& legend,
                   const std::string& svg) {
  std::string html = "<figure><figcaption><h3>" + escape(heading) + "</h3>";
  for (const auto& [color, text] : legend) {
    html += "<span class=\"key\"><i style=\"background:" + color + "\"></i>" + escape(text) + "</span>";
  }
  return html + "<span class=\"remark\">" + escape(remark) + "</span></figcaption>\n" + svg + "</figure>\n";
}

struct ByteUnit {
  double size;
  const char* name;
};

ByteUnit unitFor(double bytes) {
  if (bytes >= 4.0 * (1ll << 30)) return {double(1ll << 30), "GiB"};
  if (bytes >= 4.0 * (1 << 20)) return {double(1 << 20), "MiB"};
  if (bytes >= 4.0 * (1 << 10)) return {double(1 << 10), "KiB"};
  return {1, "bytes"};
}

struct Space {
  const char* name;
  const char* color;
  int64_t run::MemoryPoint::*bytes;
};

// From the bottom up, in the order in which they may move.
constexpr std::array<Space, 5> kSpaces{{{"trainable state", kTrainable, &run::MemoryPoint::trainable},
                                        {"static cache", kStatic, &run::MemoryPoint::staticCache},
                                        {"dynamic cache", kDynamic, &run::MemoryPoint::dynamicCache},
                                        {"activation space", kActivation, &run::MemoryPoint::activation},
                                        {"workspace", kWorkspace, &run::MemoryPoint::workspace}}};

// Round operator numbers, on the way up and on the way down again.
std::vector<std::pair<double, std::string>> operatorTicks(const std::vector<run::MemoryPoint>& points) {
  int64_t greatest = 0;
  for (const auto& point : points) greatest = std::max(greatest, point.operatorIndex);
  const auto places = roundTicks(0, static_cast<double>(greatest), 7);
  const auto step = std::max<int64_t>(places.size() > 1 ? std::llround(places[1]) : 1, 1);
  const double leastDistance = static_cast<double>(points.size()) / 30;  // so that no two labels touch at the turn
  std::vector<std::pair<double, std::string>> ticks;
  for (size_t i = 0; i < points.size(); ++i) {
    const auto x = static_cast<double>(i);
    const bool hasRoom = ticks.empty() || x - ticks.back().first >= leastDistance;
    if (points[i].operatorIndex % step == 0 && hasRoom) ticks.emplace_back(x, std::to_string(points[i].operatorIndex));
  }
  return ticks;
}

double turnOf(const std::vector<run::MemoryPoint>& points) {
  const auto turn = std::find_if(points.begin(), points.end(), [](const auto& point) { return !point.isForward; });
  return turn == points.begin() || turn == points.end() ? -1 : static_cast<double>(turn - points.begin()) - 0.5;
}

std::vector<PlotPoint> curveOf(const std::vector<run::StepEvent>& steps, double (*value)(const run::StepEvent&)) {
  std::vector<PlotPoint> points;
  for (const auto& step : steps) points.emplace_back(static_cast<double>(step.step), value(step));
  return points;
}

// Axes that hold all finite points with a little air; `isFromZero` for amounts.
enum class Floor { Zero, Data };
PlotAxes axesAround(const std::vector<PlotPoint>& points, Floor floor) {
  PlotAxes axes;
  bool isFirst = true;
  for (const auto& [x, y] : points) {
    if (!std::isfinite(y)) continue;
    axes.xBegin = isFirst ? x : std::min(axes.xBegin, x);
    axes.xEnd = isFirst ? x : std::max(axes.xEnd, x);
    axes.yBegin = isFirst ? y : std::min(axes.yBegin, y);
    axes.yEnd = isFirst ? y : std::max(axes.yEnd, y);
    isFirst = false;
  }
  const double air = std::max((axes.yEnd - axes.yBegin) * 0.08, std::abs(axes.yEnd) * 0.01 + 1e-9);
  axes.yBegin = floor == Floor::Zero ? 0 : axes.yBegin - air;
  axes.yEnd += air;
  axes.width = 520;  // two stand side by side
  axes.height = 250;
  axes.xLabel = "step";
  return axes;
}

}  // namespace

std::string memoryPlot(const run::TimelineEvent& timeline, const std::string& heading) {
  const auto& points = timeline.points;
  if (points.empty()) return "";
  std::vector<PlotPoint> lower;
  double greatest = static_cast<double>(timeline.budgetBytes);
  for (size_t i = 0; i < points.size(); ++i) {
    double sum = 0;
    for (const auto& space : kSpaces) sum += static_cast<double>(points[i].*space.bytes);
    greatest = std::max(greatest, sum);
    lower.emplace_back(static_cast<double>(i), 0);
  }
  const auto unit = unitFor(greatest);
  PlotAxes axes;
  axes.xEnd = static_cast<double>(points.size()) - 1;
  axes.yEnd = greatest * 1.08;
  axes.xLabel = "operator: forward, turn, backward";
  axes.yLabel = std::string(unit.name) + " on rank 0";
  axes.yUnit = unit.size;
  axes.xTicks = operatorTicks(points);
  axes.height = 340;
  SvgPlot plot(heading, axes);
  Legend legend;
  for (const auto& space : kSpaces) {
    auto upper = lower;
    for (size_t i = 0; i < points.size(); ++i) upper[i].second += static_cast<double>(points[i].*space.bytes);
    plot.band(lower, upper, space.color);
    lower = std::move(upper);
    legend.emplace_back(space.color, space.name);
  }
  if (timeline.budgetBytes > 0) {
    plot.horizontal(static_cast<double>(timeline.budgetBytes), "budget " + formatBytes(timeline.budgetBytes));
  }
  if (const double turn = turnOf(points); turn >= 0) plot.vertical(turn, "turn");
  return figure(heading, "iteration " + std::to_string(timeline.iteration), legend, plot.svg());
}

std::string spacesPlot(const RunReport& report) {
  if (report.steps.size() < 2) return "";
  struct Line {
    const char* name;
    const char* color;
    double (*value)(const run::StepEvent&);
  };
  const Line lines[] = {{"static cache", kStatic, [](const run::StepEvent& s) { return static_cast<double>(s.staticBytes); }},
                        {"dynamic cache, peak", kDynamic, [](const run::StepEvent& s) { return static_cast<double>(s.dynamicPeakBytes); }},
                        {"activation space, peak", kActivation, [](const run::StepEvent& s) { return static_cast<double>(s.activationPeakBytes); }},
                        {"workspace, peak", kWorkspace, [](const run::StepEvent& s) { return static_cast<double>(s.workspacePeakBytes); }},
                        {"all together, peak", kTogether, [](const run::StepEvent& s) { return static_cast<double>(s.peakBytes); }}};
  const double budget = report.plans.empty() ? 0 : static_cast<double>(report.plans.back().budgetBytes);
  double greatest = budget;
  for (const auto& step : report.steps) greatest = std::max(greatest, static_cast<double>(step.peakBytes));
  const auto unit = unitFor(greatest);
  PlotAxes axes;
  axes.xBegin = static_cast<double>(report.steps.front().step);
  axes.xEnd = static_cast<double>(report.steps.back().step);
  axes.yEnd = std::max(greatest, 1.0) * 1.08;
  axes.xLabel = "step";
  axes.yLabel = std::string(unit.name) + " on rank 0";
  axes.yUnit = unit.size;
  axes.height = 280;
  SvgPlot plot("The spaces over the run", axes);
  Legend legend;
  for (const Line& line : lines) {
    plot.line(curveOf(report.steps, line.value), line.color);
    legend.emplace_back(line.color, line.name);
  }
  if (budget > 0) plot.horizontal(budget, "budget " + formatBytes(report.plans.back().budgetBytes));
  return figure("The spaces over the run", "greatest of each step; not all at the same moment", legend, plot.svg());
}

std::string activationPlot(const RunReport& report) {
  const auto& operators = report.operators;
  if (operators.empty()) return "";
  const auto largest = std::max_element(operators.begin(), operators.end(), [](const auto& a, const auto& b) {
    return a.activationBytes < b.activationBytes;
  });
  const double greatest = std::max<double>(static_cast<double>(largest->activationBytes), 1);
  const auto unit = unitFor(greatest);
  PlotAxes axes;
  axes.xBegin = -0.5;
  axes.xEnd = static_cast<double>(operators.size()) - 0.5;
  axes.yBegin = -greatest * 1.1;
  axes.yEnd = greatest * 1.1;
  axes.yUnit = unit.size;
  axes.xLabel = "operator";
  axes.yLabel = unit.name;
  axes.hasAbsoluteTicks = true;
  axes.height = 280;
  SvgPlot plot("Activation bytes per operator", axes);
  for (size_t i = 0; i < operators.size(); ++i) {
    const auto x = static_cast<double>(i);
    const auto bytes = static_cast<double>(operators[i].activationBytes);
    const auto color = operators[i].isSaved ? kActivation : "#8A94A6";
    const auto tooltip = std::to_string(operators[i].index) + " " + operators[i].name + ": " +
                         formatBytes(operators[i].activationBytes) + (operators[i].isSaved ? "" : ", recomputed");
    plot.bar(x - 0.42, x + 0.42, 0, bytes, color, 1.0, tooltip + ", kept in forward");
    plot.bar(x - 0.42, x + 0.42, 0, -bytes, color, 0.4, tooltip + ", freed in backward");
  }
  Legend legend{{kActivation, "up: kept in forward"}, {"#F6DAB1", "down: freed in backward"}};
  const bool hasRecomputed = std::any_of(operators.begin(), operators.end(), [](const auto& o) { return !o.isSaved; });
  if (hasRecomputed) legend.emplace_back("#8A94A6", "recomputed");
  return figure("Activation bytes per operator",
                "largest: " + largest->name + " " + formatBytes(largest->activationBytes), legend, plot.svg());
}

std::string lossPlot(const RunReport& report) {
  if (report.steps.empty()) return "";
  const auto curve = curveOf(report.steps, [](const run::StepEvent& step) { return step.loss; });
  std::vector<PlotPoint> evaluations;
  for (const auto& evaluation : report.evaluations)
    evaluations.emplace_back(static_cast<double>(evaluation.step), evaluation.loss);
  auto all = curve;
  all.insert(all.end(), evaluations.begin(), evaluations.end());
  auto axes = axesAround(all, Floor::Data);
  axes.yLabel = "loss per target token";
  SvgPlot plot("Loss", axes);
  plot.line(curve, kCurve);
  plot.dots(evaluations, kWorkspace);
  Legend legend{{kCurve, "training"}};
  if (!evaluations.empty()) legend.emplace_back(kWorkspace, "evaluation");
  return figure("Loss", "last " + fixed(report.steps.back().loss, 4), legend, plot.svg());
}

std::string throughputPlot(const RunReport& report) {
  if (report.steps.empty()) return "";
  const auto curve = curveOf(report.steps, [](const run::StepEvent& step) {
    return step.seconds > 0 ? static_cast<double>(step.tokens) / step.seconds : std::nan("");
  });
  auto axes = axesAround(curve, Floor::Zero);
  axes.yLabel = "tokens per second";
  SvgPlot plot("Throughput", axes);
  plot.line(curve, kDynamic);
  return figure("Throughput", "tokens of all ranks", {{kDynamic, "tokens/s"}}, plot.svg());
}

}  // namespace tidemark::report
