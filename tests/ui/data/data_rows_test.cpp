// The table of rows, their summary and their histogram, on rows that nobody had to read.
#include <gtest/gtest.h>

#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <algorithm>
#include <random>

#include "ui/data/data_rows_model.h"
#include "ui/data/length_bins.h"

namespace tidemark::ui {
namespace {

constexpr RowLimit kDrop{100, text::Truncation::Drop}, kCut{100, text::Truncation::Truncate}, kRefuse{100, text::Truncation::Error};

RowFacts usable(int64_t line, int64_t tokens, std::vector<LossRun> loss) {
  RowFacts row;
  row.place.line = line;
  row.state = RowFacts::State::Usable;
  row.tokens = tokens;
  row.loss = std::move(loss);
  row.start = QStringLiteral("row %1").arg(line);
  return row;
}

std::vector<RowFacts> randomRows(int count) {
  std::mt19937 random(7);
  std::vector<RowFacts> rows;
  for (int i = 0; i < count; ++i) {
    const auto tokens = static_cast<uint32_t>(random() % 300);
    rows.push_back(usable(i + 1, tokens, {{tokens / 2, tokens}}));
    if (i % 10 == 0) rows.back().state = RowFacts::State::Malformed;
    if (i % 7 == 0) rows.back().duplicateOf = 1;
  }
  return rows;
}

std::vector<int64_t> lines(const DataRowsModel& model) {
  std::vector<int64_t> all;
  for (int i = 0; i < model.rowCount(); ++i) all.push_back(model.at(i).place.line);
  return all;
}

TEST(LossRuns, AreTheStretchesOfTheMask) {
  const auto runs = lossRuns({0, 1, 1, 0, 1});
  ASSERT_EQ(runs.size(), 2u);
  const RowFacts row = usable(1, 5, runs);
  EXPECT_EQ(row.targetsWithin(5), 3);
  EXPECT_EQ(row.targetsWithin(2), 1);
  EXPECT_EQ(row.targetsWithin(1), 0);
  EXPECT_TRUE(lossRuns({}).empty());
}

TEST(DataProblem, DependsOnTheLimitAndOnWhatHappensToLongRows) {
  const RowFacts late = usable(1, 120, {{110, 120}}), fits = usable(2, 100, {{50, 100}});
  EXPECT_TRUE(hasProblem(late, DataProblem::TooLong, kDrop));
  EXPECT_FALSE(hasProblem(late, DataProblem::WithoutLoss, kDrop));
  EXPECT_TRUE(hasProblem(late, DataProblem::WithoutLoss, kCut)) << "its only answer lies beyond the cut";
  EXPECT_FALSE(hasAnyProblem(fits, kCut));
  EXPECT_EQ(summarize({late, fits}, kDrop).trained, 1);
  EXPECT_EQ(summarize({late, fits}, kRefuse).trained, 1);
  EXPECT_EQ(summarize({late, fits}, {200, text::Truncation::Drop}).targets, 60);
}

TEST(DataRowsModel, SortsEveryColumnBothWays) {
  DataRowsModel model;
  QAbstractItemModelTester tester(&model);
  model.setLimit(kDrop);
  model.append(randomRows(500), text::DatasetFormat::Messages);
  for (int column = 0; column < DataRowsModel::ColumnCount; ++column) {
    model.sort(column, Qt::DescendingOrder);
    model.sort(column, Qt::AscendingOrder);
    EXPECT_EQ(lines(model).size(), 500u);
  }
  model.sort(DataRowsModel::Tokens, Qt::AscendingOrder);
  EXPECT_EQ(model.at(0).state, RowFacts::State::Malformed) << "rows without tokens come first";
  for (int i = 1; i < model.rowCount(); ++i) {
    if (model.at(i - 1).state == RowFacts::State::Usable) {
      EXPECT_LE(model.at(i - 1).tokens, model.at(i).tokens);
    }
  }
  model.sort(DataRowsModel::Line, Qt::DescendingOrder);
  EXPECT_EQ(lines(model).front(), 500);
}

TEST(DataRowsModel, RowsThatComeLaterAreSortedIn) {
  DataRowsModel model;
  model.setLimit(kDrop);
  model.sort(DataRowsModel::Tokens, Qt::DescendingOrder);
  std::vector<RowFacts> rows = randomRows(300);
  for (RowFacts& row : rows) row.state = RowFacts::State::Usable;
  const std::vector<RowFacts> all = rows;
  model.append({rows.begin(), rows.begin() + 100}, text::DatasetFormat::Alpaca);
  const QPersistentModelIndex kept = model.index(5, 0);
  const int64_t line = model.at(5).place.line;
  model.append({rows.begin() + 100, rows.end()}, text::DatasetFormat::Alpaca);
  EXPECT_EQ(model.at(kept.row()).place.line, line) << "the chosen row stays chosen";
  for (int i = 1; i < model.rowCount(); ++i) EXPECT_GE(model.at(i - 1).tokens, model.at(i).tokens);
  EXPECT_EQ(model.rowCount(), 300);
}

TEST(DataRowsModel, FiltersHoldTogetherAndForLaterRows) {
  DataRowsModel model;
  QAbstractItemModelTester tester(&model);
  model.setLimit(kDrop);
  const auto rows = randomRows(200);
  model.append({rows.begin(), rows.begin() + 100}, text::DatasetFormat::Messages);
  model.setFilter({std::unordered_set<int64_t>{1, 8, 11, 101, 150}, false, std::nullopt});
  EXPECT_EQ(lines(model), (std::vector<int64_t>{1, 8, 11}));
  model.append({rows.begin() + 100, rows.end()}, text::DatasetFormat::Messages);
  EXPECT_EQ(lines(model), (std::vector<int64_t>{1, 8, 11, 101, 150}));
  model.setFilter({std::unordered_set<int64_t>{1, 8, 11, 101, 150}, false, DataProblem::Malformed});
  EXPECT_EQ(lines(model), (std::vector<int64_t>{1, 11, 101}));
  EXPECT_EQ(model.rowOfLine(11), 1);
  EXPECT_EQ(model.rowOfLine(8), -1);
}

TEST(DataRowsModel, TheNextWithAProblemGoesAroundTheEnd) {
  DataRowsModel model;
  model.setLimit(kDrop);
  model.append({usable(1, 10, {{1, 2}}), usable(2, 200, {{1, 2}}), usable(3, 10, {{1, 2}}), usable(4, 300, {{1, 2}})},
               text::DatasetFormat::Messages);
  EXPECT_EQ(model.nextWith(DataProblem::TooLong, -1), 1);
  EXPECT_EQ(model.nextWith(DataProblem::TooLong, 1), 3);
  EXPECT_EQ(model.nextWith(DataProblem::TooLong, 3), 1);
  EXPECT_EQ(model.nextWith(DataProblem::Duplicate, 0), -1);
}

TEST(DataRowsModel, AHundredThousandRowsAreSortedAndFilteredAlike) {
  DataRowsModel model;
  model.setLimit(kDrop);
  auto rows = randomRows(100'000);
  const auto malformed = std::count_if(rows.begin(), rows.end(), [](const RowFacts& r) { return r.state == RowFacts::State::Malformed; });
  while (!rows.empty()) {  // as they come: batch by batch
    const auto take = static_cast<std::ptrdiff_t>(std::min<std::size_t>(rows.size(), 2048));
    model.append({rows.begin(), rows.begin() + take}, text::DatasetFormat::Messages);
    rows.erase(rows.begin(), rows.begin() + take);
  }
  model.sort(DataRowsModel::Loss, Qt::DescendingOrder);
  for (int i = 1; i < model.rowCount(); ++i) {
    if (model.at(i).state == RowFacts::State::Usable) {
      ASSERT_GE(model.at(i - 1).targetsWithin(100), model.at(i).targetsWithin(100));
    }
  }
  model.setFilter({std::nullopt, false, DataProblem::Malformed});
  EXPECT_EQ(model.rowCount(), malformed);
}

TEST(LengthBins, EndAtTheLimitAndCountEveryRow) {
  for (const int64_t limit : {1, 64, 100, 137, 299, 512}) {
    auto rows = randomRows(3000);
    rows.push_back(usable(4000, 50'000, {{1, 2}}));
    const auto series = lengthSeries(rows, limit);
    double counted = 0, beyond = 0;
    for (std::size_t i = 0; i < series.bins.size(); ++i) {
      const auto& bin = series.bins[i];
      counted += bin.count;
      if (bin.first > static_cast<double>(limit)) beyond += bin.count;
      EXPECT_FALSE(bin.first <= static_cast<double>(limit) && bin.last > static_cast<double>(limit)) << limit;
      if (i > 0) {
        EXPECT_EQ(bin.first, series.bins[i - 1].last + 1);
      }
    }
    EXPECT_EQ(counted, series.rows);
    EXPECT_LE(series.bins.size(), 50u);
    EXPECT_TRUE(series.isLastOpen) << "one very long row does not squeeze the others";
    if (series.bins.back().last > static_cast<double>(limit)) {
      EXPECT_EQ(beyond, series.cut) << limit;
    }
  }
  EXPECT_TRUE(lengthSeries({}, 100).bins.empty());
}

}  // namespace
}  // namespace tidemark::ui
