#include "core/report/figures.h"
#include "core/report/html_plots.h"
#include "core/report/html_tables.h"
#include "core/report/html_text.h"
#include "core/report/report.h"

namespace tidemark::report {
namespace {

constexpr const char* kStyle = R"(
:root { color-scheme: light dark; --page: #f6f7f9; --paper: #ffffff; --ink: #1f2430; --quiet: #667085; --rule: #dfe3ea; --grid: #e8ebf0; }
@media (prefers-color-scheme: dark) {
  :root { --page: #15181d; --paper: #1d2128; --ink: #e6e9ef; --quiet: #98a2b3; --rule: #343a45; --grid: #2a2f38; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink); font: 14px/1.45 Inter, "Segoe UI", "Noto Sans", "DejaVu Sans", sans-serif; }
main { max-width: 1120px; margin: 0 auto; padding: 28px 24px 48px; }
h1 { font-size: 24px; margin: 0 0 12px; overflow-wrap: anywhere; }
h2 { font-size: 16px; margin: 0 0 10px; }
h3 { font-size: 14px; margin: 12px 0 8px; }
.status { font-size: 13px; font-weight: 500; vertical-align: middle; padding: 2px 10px; border: 1px solid var(--rule); border-radius: 999px; color: var(--quiet); }
dl { display: grid; grid-template-columns: repeat(auto-fit, minmax(300px, 1fr)); gap: 4px 24px; margin: 0 0 20px; }
dl div { display: flex; gap: 8px; min-width: 0; }
dt { color: var(--quiet); min-width: 92px; flex-shrink: 0; }
dd { margin: 0; overflow-wrap: anywhere; }
.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(300px, 1fr)); gap: 12px; margin-bottom: 16px; }
.card, figure, section { background: var(--paper); border: 1px solid var(--rule); border-radius: 8px; }
.card { padding: 12px 14px; }
.what { color: var(--quiet); font-size: 12.5px; }
.value { font-size: 20px; font-weight: 600; margin: 2px 0; }
figure, section { margin: 0 0 16px; padding: 14px 16px; }
figcaption { display: flex; flex-wrap: wrap; align-items: center; gap: 4px 16px; margin-bottom: 6px; }
figcaption h3 { margin: 0 8px 0 0; }
.key { display: inline-flex; align-items: center; gap: 6px; font-size: 12.5px; color: var(--quiet); }
.key i { width: 11px; height: 11px; border-radius: 2px; display: inline-block; }
.remark { margin-left: auto; font-size: 12.5px; color: var(--quiet); }
.pair { display: grid; grid-template-columns: repeat(auto-fit, minmax(440px, 1fr)); gap: 16px; }
.pair figure { margin: 0; }
.pair { margin-bottom: 16px; }
svg { width: 100%; height: auto; display: block; }
svg text { font-size: 12px; fill: var(--quiet); }
svg .note { fill: var(--ink); font-weight: 600; }
.grid { stroke: var(--grid); stroke-width: 1; }
.axis { stroke: var(--quiet); stroke-width: 1; }
.limit { stroke: var(--ink); stroke-width: 1.4; stroke-dasharray: 6 4; }
.divider { stroke: var(--ink); stroke-width: 1; opacity: 0.5; }
.dot { stroke: var(--paper); stroke-width: 1.5; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: 12.5px; font-variant-numeric: tabular-nums; }
th, td { text-align: left; padding: 4px 10px 4px 0; border-bottom: 1px solid var(--rule); white-space: pre-wrap; overflow-wrap: anywhere; vertical-align: top; }
th { color: var(--quiet); font-weight: 500; overflow-wrap: normal; }
.number { text-align: right; white-space: nowrap; }
hr { border: 0; border-top: 2px solid var(--rule); margin: 32px 0; }
p.what { margin: 8px 0 0; }
footer { color: var(--quiet); font-size: 12.5px; }
@media print {
  :root { --page: #ffffff; --paper: #ffffff; --ink: #000000; --quiet: #444444; --rule: #cccccc; --grid: #e4e4e4; }
  body { font-size: 11px; print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  main { max-width: none; padding: 0; }
  figure, .card, tr { break-inside: avoid; }
  hr { break-after: page; visibility: hidden; margin: 0; }
  h2 { break-after: avoid; }
  .scroll { overflow: visible; }
  table { font-size: 9px; }
  th, td { padding-right: 6px; }
}
)";

std::string memoryPlots(const RunReport& report) {
  const auto& first = report.firstTimeline;
  const auto& last = report.lastTimeline;
  std::string html;
  if (last) html += memoryPlot(*last, "Memory over one iteration");
  if (first && (!last || first->iteration != last->iteration)) {
    html += memoryPlot(*first, "The iteration that measured");
  }
  return html;
}

std::string titleOf(const RunReport& report) { return report.name.empty() ? report.id : report.name; }

std::string runPart(const RunReport& report) {
  const auto figures = figuresOf(report);
  std::string html = headerBlock(report) + figureCards(figures) + memoryPlots(report) + spacesPlot(report) + activationPlot(report);
  const auto curves = lossPlot(report) + throughputPlot(report);
  if (!curves.empty()) html += "<div class=\"pair\">\n" + curves + "</div>\n";
  html += section(planTable(report, figures)) + subtable(planList(report));
  return html + section(rankTable(report)) + section(operatorTable(report)) + section(hyperparameterTable(report));
}

// What only several runs have: how they differ.
std::string comparisonPart(const RunReports& reports) {
  std::string html = "<header><h1>" + std::to_string(reports.size()) + " runs compared</h1></header>\n";
  return html + section(resultTable(reports)) + section(gatherAlwaysTable(reports)) + section(differenceTable(reports));
}

}  // namespace

std::string toHtml(const RunReports& reports) {
  const bool isOne = reports.size() == 1;
  const auto title = isOne ? escape(titleOf(reports.front())) : std::to_string(reports.size()) + " runs";
  std::string html =
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>" +
      title + " - memory report</title>\n<style>" + kStyle + "</style>\n</head>\n<body>\n<main>\n";
  if (!isOne) html += comparisonPart(reports);
  for (const RunReport& report : reports) html += (isOne ? "" : "<hr>\n") + runPart(report);
  if (isOne) html += section(gatherAlwaysTable(reports));
  html += "<footer>Bytes are those of rank 0 unless a table says otherwise; rates leave the first step out, because it measures.</footer>\n";
  return html + "</main>\n</body>\n</html>\n";
}

}  // namespace tidemark::report
