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

// Cells after the text columns are numbers and stand to the right.
std::string tableHtml(const Table& table) {
  const auto& rows = table.rows;
  std::string html = "<div class=\"scroll\"><table>\n";
  for (size_t row = 0; row < rows.size(); ++row) {
    if (row < 2) html += row == 0 ? "<thead>" : "<tbody>";
    html += "<tr>";
    for (size_t i = 0; i < rows[row].size(); ++i) {
      const std::string tag = row == 0 ? "th" : "td";
      html += "<" + tag + (i >= table.textColumns ? " class=\"number\">" : ">") + escape(rows[row][i]) + "</" + tag + ">";
    }
    html += row == 0 ? "</tr></thead>\n" : "</tr>\n";
  }
  html += (rows.size() > 1 ? "</tbody>" : "") + std::string("</table></div>\n");
  return table.remark.empty() ? html : html + "<p class=\"what\">" + escape(table.remark) + "</p>\n";
}

}  // namespace

std::string section(const Table& table) {
  return table.rows.empty() ? "" : "<section><h2>" + escape(table.heading) + "</h2>\n" + tableHtml(table) + "</section>\n";
}

std::string subtable(const Table& table) {
  return table.rows.empty() ? "" : "<section><h3>" + escape(table.heading) + "</h3>\n" + tableHtml(table) + "</section>\n";
}

std::string headerBlock(const RunReport& report) {
  std::string facts;
  for (const auto& [name, value] : factsOf(report)) facts += "<div><dt>" + escape(name) + "</dt><dd>" + escape(value) + "</dd></div>\n";
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

}  // namespace tidemark::report
