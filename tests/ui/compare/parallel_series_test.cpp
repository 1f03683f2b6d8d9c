// The comparison as parallel coordinates, and the samples side by side.
#include "ui/compare/parallel_series.h"

#include <gtest/gtest.h>

#include <QAbstractItemModelTester>

#include "compare_runs.h"
#include "ui/compare/sample_table.h"

namespace tidemark::ui {
namespace {

using tests::comparedRun;
using tests::shared;

std::vector<std::string> labelsOf(const plots::ParallelSeries& series) {
  std::vector<std::string> labels;
  for (const auto& axis : series.axes) labels.push_back(axis.label.toStdString());
  return labels;
}

TEST(ParallelSeries, HasTheSettingsThatDifferAndThenTheResults) {
  const Comparison comparison = compareRuns(shared({comparedRun("a", {{"training.learning_rate", "0.0001"}, {"memory.policy", "pinned"}}, {3, 2}),
                                                    comparedRun("b", {{"training.learning_rate", "0.01"}}, {3, 1})}));
  const auto series = parallelOf(comparison, {4, 7});
  const auto labels = labelsOf(series);
  ASSERT_GE(labels.size(), 3u);
  EXPECT_EQ(labels[0], "Learning rate");
  EXPECT_EQ(labels[1], "Cache policy");
  EXPECT_EQ(labels[2], "loss, last");
  EXPECT_TRUE(series.axes[0].isLogarithmic) << "a factor of 100";
  EXPECT_EQ(series.axes[1].words, (std::vector<std::string>{"pinned", "elastic"}));
  EXPECT_TRUE(series.axes[2].isResult);
  ASSERT_EQ(series.lines.size(), 2u);
  EXPECT_EQ(series.lines[1].mark, 7);
  for (const auto& line : series.lines) EXPECT_EQ(line.values.size(), series.axes.size());
  EXPECT_EQ(series.lines[1].values[0], 0.01);
  EXPECT_EQ(series.lines[1].values[2], 1.0);
}

TEST(ParallelSeries, NumbersAmongWordsAreWords) {
  const PlacedValues values = placed("memory.budget", {"auto", "600MiB", std::nullopt, "auto"});
  EXPECT_EQ(values.words, (std::vector<std::string>{"auto", "600MiB"}));
  EXPECT_EQ(values.values[3], 0.0);
  EXPECT_FALSE(values.values[2].has_value());
  const PlacedValues bytes = placed("memory.budget", {"1GiB", "512MiB"});
  EXPECT_TRUE(bytes.words.empty());
  EXPECT_EQ(bytes.values[1], 512.0 * (1 << 20));
  EXPECT_EQ(bytes.measure, plots::Measure::Bytes);
}

TEST(SampleTable, PutsTheNewestTextsForAPromptSideBySide) {
  ComparedRun a = comparedRun("a", {}, {1}), b = comparedRun("b", {}, {1});
  a.samples = {{1, "What is a tide?", "old"}, {9, "What is a tide?", "<b>new</b>"}};
  b.samples = {{5, "Other", "x"}, {5, "What is a tide?", "from b"}};
  SampleTableModel model;
  QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
  model.setRuns(shared({a, b}));
  ASSERT_EQ(model.rowCount(), 2);
  ASSERT_EQ(model.columnCount(), 3);
  EXPECT_EQ(model.headerData(1, Qt::Horizontal, Qt::DisplayRole).toString(), "a");
  EXPECT_TRUE(model.index(0, 1).data().toString().startsWith("<b>new</b>\n"));
  EXPECT_TRUE(model.index(0, 1).data().toString().contains("step 9"));
  EXPECT_TRUE(model.index(0, 2).data().toString().startsWith("from b"));
  EXPECT_EQ(model.index(1, 1).data().toString(), QStringLiteral("–"));
  model.setRuns({});
  EXPECT_EQ(model.rowCount(), 0);
}

}  // namespace
}  // namespace tidemark::ui
