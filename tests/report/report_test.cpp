#include "core/report/report.h"

#include <gmock/gmock.h>

#include <regex>

#include "core/base/json.h"
#include "core/report/figures.h"
#include "core/report/svg_plot.h"
#include "core/report/tables.h"
#include "tests/report/example_run.h"

namespace tidemark::report {
namespace {

using testing::HasSubstr;
using testing::Not;

// An independent reader of RFC 4180.
std::vector<std::vector<std::string>> parseCsv(const std::string& text) {
  std::vector<std::vector<std::string>> rows{{""}};
  bool isQuoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    auto& cell = rows.back().back();
    if (isQuoted && text[i] == '"' && i + 1 < text.size() && text[i + 1] == '"') {
      cell += text[++i];
    } else if (text[i] == '"') {
      isQuoted = !isQuoted;
    } else if (!isQuoted && text[i] == ',') {
      rows.back().emplace_back();
    } else if (!isQuoted && text[i] == '\r' && text[i + 1] == '\n') {
      ++i;
      rows.push_back({""});
    } else {
      cell += text[i];
    }
  }
  rows.pop_back();
  return rows;
}

std::string summaryValue(const std::vector<std::vector<std::string>>& rows, const std::string& name) {
  for (const auto& row : rows) {
    if (row[1] == "summary" && row[3] == name) return row.back();
  }
  return "(missing)";
}

TEST(Figures, AreDerivedFromTheMeasurements) {
  const auto figures = figuresOf(exampleRun());
  constexpr int64_t kMiB = 1 << 20;
  EXPECT_EQ(figures.remoteBytes, 152 * kMiB);
  EXPECT_EQ(figures.gatherAlwaysBytes, 2 * 62 * 4 * kMiB);
  EXPECT_NEAR(*figures.hitRate, 1 - 152.0 / 496.0, 1e-12);
  EXPECT_NEAR(*figures.boundaryHitRate, 1.0, 1e-12);
  EXPECT_NEAR(*figures.turnHitRate, 0.375, 1e-12);
  EXPECT_EQ(figures.peakBytes, 1144 * kMiB);
  EXPECT_NEAR(*figures.stallFraction, 0.08 / 4.3, 1e-3);  // the first step, of 9 s, is left out
  EXPECT_NEAR(*figures.tokensPerSecond, 1000 / 4.3, 2);
}

TEST(Figures, ARunThatHasNotBegunHasNone) {
  const auto figures = figuresOf(RunReport{});
  EXPECT_FALSE(figures.remoteBytes || figures.hitRate || figures.peakBytes || figures.tokensPerSecond ||
               figures.lastLoss);
  EXPECT_THAT(toHtml({RunReport{}}), HasSubstr("</html>"));
  EXPECT_EQ(parseCsv(toCsv({RunReport{}})).front().size(), 14u);
}

TEST(CsvReport, IsOneRectangularTable) {
  const auto rows = parseCsv(toCsv({exampleRun()}));
  ASSERT_GT(rows.size(), 63u);
  for (const auto& row : rows) EXPECT_EQ(row.size(), 14u);
  EXPECT_EQ(rows[1][3], "layers.0.mlp");
  EXPECT_EQ(rows[1][5], std::to_string(8 << 20));
  EXPECT_EQ(rows[1][9], "0.0123");
  EXPECT_EQ(rows[1][12], "0");
  EXPECT_EQ(summaryValue(rows, "peak_bytes"), std::to_string(1144ll << 20));
}

TEST(CsvReport, TextsCannotBecomeFormulas) {
  auto report = exampleRun();
  report.name = "=HYPERLINK(\"http://x\")";
  report.model = "@sum, \"quoted\"\nsecond line";
  report.dataset = "-1+1";
  report.operators[0].name = "+cmd";
  const auto rows = parseCsv(toCsv({report}));
  EXPECT_EQ(summaryValue(rows, "run_name"), "'=HYPERLINK(\"http://x\")");
  EXPECT_EQ(summaryValue(rows, "model"), "'@sum, \"quoted\"\nsecond line");
  EXPECT_EQ(summaryValue(rows, "dataset"), "'-1+1");
  EXPECT_EQ(rows[1][3], "'+cmd");
}

TEST(JsonReport, HoldsEveryPart) {
  const auto json = parseJson(toJson({exampleRun()}), "report");
  ASSERT_TRUE(json.ok());
  EXPECT_EQ((*json)["run"]["name"], "support-qa r8");
  EXPECT_EQ((*json)["operators"].size(), 62u);
  EXPECT_EQ((*json)["operators"][3]["name"], "layers.1.attention");
  EXPECT_EQ((*json)["operators"][0]["saved"], false);
  EXPECT_EQ((*json)["steps"].size(), 200u);
  EXPECT_EQ((*json)["summary"]["peak_bytes"], 1144ll << 20);
  EXPECT_EQ((*json)["last_timeline"]["iteration"], 7);
  EXPECT_EQ((*json)["last_step_of_rank"][1]["rank"], 1);
  EXPECT_FALSE((*json)["steps"][0].contains("time"));
}

TEST(HtmlReport, EscapesEveryTextFromOutside) {
  auto report = exampleRun();
  const std::string hostile = "<script>alert('x')</script>\"&";
  report.name = report.model = report.dataset = report.host = report.status = report.id = hostile;
  for (auto& entry : report.operators) entry.name = entry.trend = hostile;
  for (auto& plan : report.plans) plan.policy = plan.reason = hostile;
  report.hyperparameters = {{hostile, hostile}};
  report.modelFacts->device = hostile;
  const auto html = toHtml({report});
  EXPECT_THAT(html, Not(HasSubstr("<script")));
  EXPECT_THAT(html, Not(HasSubstr("alert('x')")));
  EXPECT_THAT(html, HasSubstr("&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&quot;&amp;"));
}

TEST(HtmlReport, LoadsNothingFromAnywhere) {
  const auto html = toHtml({exampleRun()});
  EXPECT_THAT(html, HasSubstr("content=\"default-src 'none'; style-src 'unsafe-inline'\""));
  for (const char* part : {"http://", "https://", "src=", "@import", "url(", "<link", "<img"})
    EXPECT_THAT(html, Not(HasSubstr(part)));
}

TEST(HtmlReport, EveryElementIsClosed) {
  const auto html = toHtml({exampleRun()});
  const std::regex tag("<(/?)([a-z0-9]+)[^>]*?(/?)>");
  std::vector<std::string> open;
  for (auto it = std::sregex_iterator(html.begin(), html.end(), tag); it != std::sregex_iterator(); ++it) {
    const auto name = (*it)[2].str();
    if ((*it)[3] == "/" || name == "meta") continue;
    if ((*it)[1] == "/") {
      ASSERT_FALSE(open.empty()) << name;
      EXPECT_EQ(open.back(), name);
      open.pop_back();
    } else {
      open.push_back(name);
    }
  }
  EXPECT_TRUE(open.empty());
}

TEST(HtmlReport, ShowsThePlotsWithTheColoursOfTheSpaces) {
  const auto html = toHtml({exampleRun()});
  for (const char* part : {"The spaces over the run", "Beside gathering always", "Trained by", "#5B7DB1", "#2A9D8F", "#E9A23B", "#C8553D", "#8064A2", "Memory over one iteration",
                           "The iteration that measured", "budget 1.12 GiB", "Activation bytes per operator",
                           "Plan against measurement", "tokens per second"}) {
    EXPECT_THAT(html, HasSubstr(part));
  }
}

TEST(HtmlReport, StaysSmallForADaysRun) { EXPECT_LT(toHtml({exampleRun(50'000)}).size(), 200'000u); }

TEST(SeveralRuns, AreComparedInOneFileAndGatheringAlwaysIsMeasured) {
  auto elastic = exampleRun(), always = exampleRun();
  always.id = "01JALWAYS";
  always.name = "gather";
  always.hyperparameters[1].second = "gather-always";
  for (auto& plan : always.plans) plan.policy = "gather-always";
  for (auto& step : always.steps) {
    step.seconds *= 2;
    step.remoteBytes = step.iterations * 2 * 62 * (4ll << 20);
  }
  const auto table = gatherAlwaysTable({elastic, always});
  ASSERT_EQ(table.rows.size(), 3u);
  EXPECT_EQ(table.rows[1][4], "69\u00A0%");
  EXPECT_THAT(table.rows[1][6], HasSubstr("+100.0"));
  EXPECT_EQ(table.rows[2][4], "0\u00A0%");
  EXPECT_EQ(table.rows[2][6], "is that run");
  EXPECT_THAT(gatherAlwaysTable({elastic}).remark, HasSubstr("gather-always"));
  const auto differences = differenceTable({elastic, always});
  ASSERT_EQ(differences.rows.size(), 2u);
  EXPECT_THAT(differences.rows[1], testing::ElementsAre("memory.policy", "elastic", "gather-always"));

  const auto html = toHtml({elastic, always});
  EXPECT_THAT(html, HasSubstr("2 runs compared"));
  EXPECT_THAT(html, HasSubstr("The spaces over the run"));
  const auto rows = parseCsv(toCsv({elastic, always}));
  for (const auto& row : rows) EXPECT_EQ(row.size(), 14u);
  EXPECT_EQ(rows.back()[0], "01JALWAYS");
  const auto json = parseJson(toJson({elastic, always}), "report");
  ASSERT_TRUE(json.ok());
  EXPECT_EQ((*json)["runs"].size(), 2u);
  EXPECT_EQ((*json)["runs"][1]["run"]["name"], "gather");
}

TEST(SvgPlot, TicksAreRound) {
  EXPECT_THAT(roundTicks(0, 10, 5), testing::ElementsAre(0, 2, 4, 6, 8, 10));
  EXPECT_THAT(roundTicks(0.13, 0.52, 4),
              testing::Pointwise(testing::DoubleNear(1e-12), std::vector<double>{0.2, 0.3, 0.4, 0.5}));
  EXPECT_EQ(roundTicks(3, 3, 5).size(), 1u);
}

TEST(SvgPlot, DecimationKeepsExtremes) {
  std::vector<PlotPoint> points;
  for (int i = 0; i < 100'000; ++i) points.emplace_back(i, i == 54'321 ? 1e6 : i % 7);
  const auto kept = decimated(points);
  EXPECT_LE(kept.size(), 1600u);
  EXPECT_TRUE(std::any_of(kept.begin(), kept.end(), [](const auto& point) { return point.second == 1e6; }));
  EXPECT_TRUE(std::is_sorted(kept.begin(), kept.end()));
}

}  // namespace
}  // namespace tidemark::report
