// The table of a sweep's runs, watched by Qt's own checker of item models.
#include "ui/sweep/sweep_points_model.h"

#include <gtest/gtest.h>

#include <QAbstractItemModelTester>

namespace tidemark::ui {
namespace {

storage::SweepPoint point(int64_t number, const std::string& rank, storage::PointState state, std::optional<double> objective) {
  storage::SweepPoint made;
  made.number = number;
  made.values = {{"training.learning_rate", "0.0002"}, {"peft.r", rank}};
  made.seed = 42;
  made.state = state;
  made.objective = objective;
  made.run = "RUN" + std::to_string(number);
  return made;
}

TEST(SweepPointsModel, StaysSoundWhileColumnsAndRowsChange) {
  SweepPointsModel model;
  QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
  using storage::PointState;
  model.setKeys({"training.learning_rate", "peft.r"}, false, "loss");
  EXPECT_EQ(model.columnCount(), 6);
  model.setPoints({point(0, "4", PointState::Completed, 2.0), point(1, "8", PointState::Running, 1.0)});
  model.setPoints({point(0, "4", PointState::Completed, 2.0), point(1, "8", PointState::Completed, 1.0), point(2, "16", PointState::Waiting, {})});
  EXPECT_EQ(model.rowCount(), 3);
  model.setKeys({"peft.r"}, true, "tokens_per_second");
  EXPECT_EQ(model.rowCount(), 0);
  EXPECT_EQ(model.columnCount(), 6);
  model.setPoints({point(0, "4", PointState::Failed, {})});
  EXPECT_EQ(model.rowCount(), 1);
}

TEST(SweepPointsModel, NamesTheBestOfTheCompletedInWords) {
  SweepPointsModel model;
  using storage::PointState;
  model.setKeys({"training.learning_rate", "peft.r"}, false, "loss");
  auto failed = point(3, "32", PointState::Failed, std::nullopt);
  failed.reason = "<b>out of memory</b>";
  model.setPoints({point(0, "4", PointState::Completed, 2.0), point(1, "8", PointState::Completed, 1.5), point(2, "16", PointState::Running, 1.0), failed});
  const auto text = [&](int row, int column) { return model.index(row, column).data().toString(); };
  EXPECT_EQ(text(1, 3), QStringLiteral("✓ Completed · ★ best"));
  EXPECT_EQ(text(2, 3), QStringLiteral("● Running")) << "only finished ones compete";
  EXPECT_EQ(text(1, 5), "1.500");
  EXPECT_EQ(model.headerData(2, Qt::Horizontal, Qt::DisplayRole).toString(), "LoRA rank");
  EXPECT_EQ(model.headerData(5, Qt::Horizontal, Qt::DisplayRole).toString(), "Training loss");
  EXPECT_FALSE(model.index(3, 3).data(Qt::ToolTipRole).toString().contains("<b>")) << "text from outside stays text";
  EXPECT_GT(model.index(3, 5).data(SweepPointsModel::SortRole).toDouble(), 1e10) << "without a figure: below all others";
}

}  // namespace
}  // namespace tidemark::ui
