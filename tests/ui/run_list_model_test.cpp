#include "ui/models/run_list_model.h"

#include <gtest/gtest.h>

#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QSortFilterProxyModel>
#include <random>

#include "hostile_names.h"
#include "ui/models/operator_table_model.h"

namespace tidemark::ui {
namespace {

using storage::RunRecord;
using Tester = QAbstractItemModelTester;

RunRecord record(int number) {
  RunRecord run;
  run.id = "id" + std::to_string(number);
  run.name = "run " + std::to_string(number);
  run.step = number;
  run.maxSteps = 100;
  run.loss = 1.0 / (number + 1);
  return run;
}

TEST(RunListModel, KeepsTheModelContractThroughRandomChanges) {
  RunListModel model;
  Tester tester(&model, Tester::FailureReportingMode::Fatal);
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    std::vector<RunRecord> runs;
    for (int i = 0; i < 12; ++i) {
      if (random() % 2) runs.push_back(record(i));
    }
    if (round % 10 == 0) std::shuffle(runs.begin(), runs.end(), random);
    const std::size_t count = runs.size();
    std::vector<std::string> ids;
    for (const RunRecord& run : runs) ids.push_back(run.id);
    model.setRecords(std::move(runs));
    ASSERT_EQ(model.rowCount(), static_cast<int>(count));
    for (std::size_t i = 0; i < count; ++i) {
      ASSERT_EQ(model.index(static_cast<int>(i), 0).data(RunListModel::KeyRole).toString().toStdString(), ids[i]);
    }
  }
}

TEST(RunListModel, UpdatesInPlaceSoThatViewsKeepTheirSelection) {
  RunListModel model;
  model.setRecords({record(1), record(2), record(3)});
  QPersistentModelIndex second = model.index(1, 0);
  QSignalSpy resets(&model, &QAbstractItemModel::modelReset);
  RunRecord changed = record(2);
  changed.step = 77;
  model.setRecords({record(4), record(1), changed});
  EXPECT_EQ(resets.count(), 0);
  EXPECT_EQ(second.row(), 2);
  EXPECT_EQ(second.sibling(second.row(), RunListModel::Step).data().toString(), "77 / 100");
}

TEST(RunListModel, SortsByValueNotByText) {
  RunListModel model;
  QSortFilterProxyModel proxy;
  proxy.setSourceModel(&model);
  proxy.setSortRole(RunListModel::SortRole);
  RunRecord ten = record(10), nine = record(9), none = record(1);
  ten.peakBytes = 10'000'000'000;
  nine.peakBytes = 900'000'000;
  none.peakBytes.reset();
  model.setRecords({ten, none, nine});
  proxy.sort(RunListModel::Peak, Qt::DescendingOrder);
  EXPECT_EQ(proxy.index(0, RunListModel::Name).data().toString(), "run 10");
  EXPECT_EQ(proxy.index(1, RunListModel::Name).data().toString(), "run 9");
  EXPECT_EQ(proxy.index(2, RunListModel::Peak).data().toString(), QStringLiteral("–"));
}

TEST(RunListModel, TooltipsOfHostileTextAreEscaped) {
  RunListModel model;
  for (const std::string& name : tests::hostileNames()) {
    RunRecord run = record(1);
    run.directory = name;
    run.model = name;
    model.setRecords({run});
    const QString tip = model.index(0, RunListModel::Name).data(Qt::ToolTipRole).toString();
    EXPECT_FALSE(tip.contains("<b>") || tip.contains("<img") || tip.contains("<script") || tip.contains("<a ")) << name;
  }
}

TEST(OperatorTableModel, KeepsTheModelContractAndTellsTheTrend) {
  OperatorTableModel model;
  Tester tester(&model, Tester::FailureReportingMode::Fatal);
  run::OperatorEvent first, second;
  first.index = 0;
  first.name = "embedding";
  first.trend = "rise";
  first.forwardSeconds = 0.0123;
  second.index = 1;
  second.name = "layers.0.attention";
  second.trend = "fall";
  second.isSaved = false;
  model.setRecords({first, second});
  EXPECT_EQ(model.index(0, OperatorTableModel::Trend).data().toString(), QStringLiteral("▲ rise"));
  EXPECT_EQ(model.index(1, OperatorTableModel::Kept).data().toString(), "computed again");
  EXPECT_EQ(model.index(0, OperatorTableModel::Forward).data().toString(), "12.3");
  model.setRecords({second});
  EXPECT_EQ(model.rowCount(), 1);
}

}  // namespace
}  // namespace tidemark::ui
