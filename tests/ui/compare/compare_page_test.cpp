// The comparison from its entrances: runs selected on the Runs page or ticked on the page itself, over a database.
#include <gtest/gtest.h>

#include <QApplication>
#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QFile>
#include <QHeaderView>
#include <QImage>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSlider>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>

#include "compare_runs.h"
#include "plots/overlay_plot.h"
#include "plots/peak_bar_plot.h"
#include "plots/run_mark.h"
#include "plots/scatter_plot.h"
#include "tests/ui/hostile_names.h"
#include "ui/compare/compare_page.h"
#include "ui/compare/compare_table_card.h"
#include "ui/compare/curves_card.h"
#include "ui/compare/run_chooser.h"
#include "ui/pages/run_page.h"
#include "ui/pages/runs_page.h"
#include "ui/shell/main_window.h"
#include "ui/widgets/banner.h"

namespace tidemark::ui {
namespace {

constexpr int kWaitMs = 60'000;

std::vector<double> falling(int steps, double from) {
  std::vector<double> losses;
  for (int i = 0; i < steps; ++i) losses.push_back(from - 0.01 * i);
  return losses;
}

class ComparePageTest : public testing::Test {
 protected:
  void SetUp() override {
    auto opened = storage::RunStore::open(database());
    ASSERT_TRUE(opened.ok()) << opened.error().message();
    store_ = std::move(opened).value();
  }
  std::filesystem::path database() const { return folder_.filePath(QStringLiteral("tidemark.db")).toStdString(); }
  QString add(const std::string& name, const tests::Settings& changes = {}, const std::vector<double>& losses = falling(8, 2.5)) {
    return QString::fromStdString(tests::addComparedRun(*store_, folder_.path().toStdString(), name, changes, losses));
  }
  void openWindow() {
    window_ = std::make_unique<MainWindow>(WindowSettings{database(), QStringLiteral("/nonexistent"), Appearance::Light});
    window_->resize(1440, 900);
    window_->show();
    ASSERT_TRUE(QTest::qWaitFor([&] { return window_->hasReadRuns(); }, kWaitMs));
  }
  ComparePage& page() { return *window_->comparePage(); }
  void compare(const QStringList& ids) {
    page().choose(ids);
    window_->showCompare();
    ASSERT_TRUE(waitForDrawing());
  }
  bool waitForDrawing() {
    return QTest::qWaitFor([&] { return page().isUpToDate(); }, kWaitMs);
  }
  QTableView& table() { return *page().findChild<CompareTableCard*>()->findChild<QTableView*>(); }
  QTableView& list() { return *page().findChild<RunChooser*>()->findChild<QTableView*>(); }
  plots::OverlayPlot& curves() { return *page().findChild<CurvesCard*>()->findChild<plots::OverlayPlot*>(); }
  QComboBox* choice(const char* name) {
    for (QComboBox* combo : page().findChildren<QComboBox*>()) {
      if (combo->accessibleName() == QLatin1String(name)) return combo;
    }
    return nullptr;
  }
  QStringList rowTitles() {
    QStringList titles;
    const auto* model = table().model();
    for (int row = 0; row < model->rowCount(); ++row) titles << model->headerData(row, Qt::Vertical).toString();
    return titles;
  }
  QString cell(const QString& title, int column) {
    return table().model()->index(static_cast<int>(rowTitles().indexOf(title)), column).data().toString();
  }
  QString heading() {
    for (QLabel* label : page().findChildren<QLabel*>()) {
      if (label->isVisible() && label->text().startsWith(QLatin1String("Compare"))) return label->text();
    }
    return {};
  }
  Banner& warning() {
    for (Banner* banner : page().findChildren<Banner*>()) {
      if (banner != page().banner()) return *banner;
    }
    throw std::runtime_error("no banner for warnings");
  }

  QTemporaryDir folder_;
  std::unique_ptr<storage::RunStore> store_;
  std::unique_ptr<MainWindow> window_;
};

TEST_F(ComparePageTest, RunsSelectedWithTheKeyboardAreCompared) {
  for (const char* name : {"one", "two", "three"}) add(name, {{"peft.r", name[0] == 'o' ? "8" : name[1] == 'w' ? "16" : "32"}});
  openWindow();
  auto* runs = window_->runsPage()->findChild<QTableView*>();
  auto* button = [&]() -> QPushButton* {
    for (QPushButton* candidate : window_->runsPage()->findChildren<QPushButton*>()) {
      if (candidate->text().startsWith(QLatin1String("Compare"))) return candidate;
    }
    return nullptr;
  }();
  ASSERT_NE(button, nullptr);
  EXPECT_FALSE(button->isEnabled());
  runs->setFocus();
  runs->setCurrentIndex(runs->model()->index(0, 0));
  EXPECT_FALSE(button->isEnabled()) << "one run is no comparison";
  QTest::keyClick(runs, Qt::Key_Down, Qt::ShiftModifier);
  QTest::keyClick(runs, Qt::Key_Down, Qt::ShiftModifier);
  EXPECT_EQ(button->text(), "Compare 3");
  QTest::keyClick(window_.get(), Qt::Key_C, Qt::ControlModifier | Qt::ShiftModifier);
  ASSERT_TRUE(page().isVisible());
  ASSERT_TRUE(waitForDrawing());
  EXPECT_EQ(heading(), "Compare 3 runs");
  EXPECT_EQ(table().model()->columnCount(), 3);
  EXPECT_TRUE(rowTitles().contains(QStringLiteral("peft.r")));
  EXPECT_FALSE(rowTitles().contains(QStringLiteral("training.seed")));
}

TEST_F(ComparePageTest, ASelectionMadeWithCtrlAndTheMouseSurvivesANewRun) {
  add("one");
  add("two", {{"peft.r", "4"}});
  add("three");
  openWindow();
  auto* runs = window_->runsPage()->findChild<QTableView*>();
  const auto click = [&](int row, Qt::KeyboardModifiers keys) {
    QTest::mouseClick(runs->viewport(), Qt::LeftButton, keys, runs->visualRect(runs->model()->index(row, 0)).center());
  };
  click(0, {});
  click(2, Qt::ControlModifier);
  const auto selected = [&] {
    QStringList names;
    for (const QModelIndex& index : runs->selectionModel()->selectedRows()) names << index.data().toString();
    names.sort();
    return names;
  };
  const QStringList before = selected();
  ASSERT_EQ(before.size(), 2);
  add("four");
  ASSERT_TRUE(QTest::qWaitFor([&] { return runs->model()->rowCount() == 4; }, kWaitMs));
  EXPECT_EQ(selected(), before);
}

TEST_F(ComparePageTest, RunsAreTickedAndTakenOutWithTheKeyboard) {
  add("one");
  add("two", {{"peft.r", "4"}});
  openWindow();
  window_->showCompare();
  EXPECT_EQ(heading(), "Compare");
  ASSERT_EQ(list().model()->rowCount(), 2);
  list().setFocus();
  list().setCurrentIndex(list().model()->index(0, 0));
  QTest::keyClick(&list(), Qt::Key_Space);
  EXPECT_EQ(page().chosen().size(), 1);
  EXPECT_FALSE(table().isVisible()) << "one run is no comparison";
  QTest::keyClick(&list(), Qt::Key_Down);
  QTest::keyClick(&list(), Qt::Key_Space);
  EXPECT_EQ(page().chosen().size(), 2);
  ASSERT_TRUE(waitForDrawing());
  EXPECT_TRUE(table().isVisible());
  QTest::keyClick(&list(), Qt::Key_Space);
  EXPECT_EQ(page().chosen().size(), 1);
  EXPECT_FALSE(table().isVisible());
}

TEST_F(ComparePageTest, ARunKeepsItsColourWhenAnotherIsTakenOut) {
  const QStringList ids{add("one"), add("two"), add("three")};
  openWindow();
  compare(ids);
  ASSERT_EQ(curves().series().curves.size(), 3u);
  const int mark = curves().series().curves[2].mark;
  list().setCurrentIndex(list().model()->index(0, 0));
  for (int row = 0; row < 3; ++row) {
    if (list().model()->index(row, 0).data().toString() != QLatin1String("two")) continue;
    list().model()->setData(list().model()->index(row, 0), Qt::Unchecked, Qt::CheckStateRole);
  }
  ASSERT_TRUE(waitForDrawing());
  ASSERT_EQ(curves().series().curves.size(), 2u);
  EXPECT_EQ(curves().series().curves[1].name, "three");
  EXPECT_EQ(curves().series().curves[1].mark, mark);
  EXPECT_EQ(page().findChild<plots::PeakBarPlot*>()->bars()[1].mark, mark);
  EXPECT_EQ(page().findChild<plots::ScatterPlot*>()->series().points[1].mark, mark);
}

TEST_F(ComparePageTest, ShowsResultsNamesTheBestAndAllSettingsOnDemand) {
  const QStringList ids{add("one", {{"training.learning_rate", "0.001"}}, falling(8, 2.5)), add("two", {}, falling(8, 3.5))};
  openWindow();
  compare(ids);
  EXPECT_EQ(cell(QStringLiteral("loss, best"), 0), QStringLiteral("2.430 · best"));
  EXPECT_EQ(cell(QStringLiteral("loss, best"), 1), "3.430");
  EXPECT_EQ(cell(QStringLiteral("evaluation loss, last"), 1), "3.680");
  EXPECT_EQ(cell(QStringLiteral("peak memory"), 0), "600 MiB");
  EXPECT_EQ(cell(QStringLiteral("remote per iteration"), 0), "150 MiB");
  EXPECT_EQ(cell(QStringLiteral("tokens per second"), 0), "500.0");
  EXPECT_FALSE(rowTitles().contains(QStringLiteral("training.max_steps")));
  auto* all = page().findChild<QCheckBox*>(QStringLiteral("allSettings"));
  all->setFocus();
  QTest::keyClick(all, Qt::Key_Space);
  EXPECT_EQ(cell(QStringLiteral("training.max_steps"), 1), "100");
}

TEST_F(ComparePageTest, WarnsWhereRunsAreNotComparableUntilPutAway) {
  const QStringList ids{add("one"), add("two", {{"training.global_batch_size", "32"}}), add("three", {{"peft.r", "4"}})};
  openWindow();
  compare(ids);
  ASSERT_TRUE(warning().isVisible());
  EXPECT_TRUE(warning().text().contains(QStringLiteral("global batches differ (16, 32)")));
  EXPECT_TRUE(rowTitles().contains(QStringLiteral("⚠ training.global_batch_size")));
  compare({ids[0], ids[2]});
  EXPECT_FALSE(warning().isVisible());
}

TEST_F(ComparePageTest, CopiesTheWholeTableOrTheSelectedRows) {
  const QStringList ids{add("one"), add("two", {{"peft.r", "4"}})};
  openWindow();
  compare(ids);
  table().setFocus();
  QTest::keyClick(&table(), Qt::Key_C, Qt::ControlModifier);
  EXPECT_TRUE(QApplication::clipboard()->text().startsWith(QStringLiteral("key\tone\ttwo\npeft.r\t8\t4\nloss_best\t2.43\t2.43\n")))
      << QApplication::clipboard()->text().toStdString();
  table().selectRow(static_cast<int>(rowTitles().indexOf(QStringLiteral("peft.r"))));
  QTest::keyClick(&table(), Qt::Key_C, Qt::ControlModifier);
  EXPECT_EQ(QApplication::clipboard()->text(), QStringLiteral("key\tone\ttwo\npeft.r\t8\t4\n"));
}

TEST_F(ComparePageTest, CurvesFollowTheChoicesOfMetricAxisAndSmoothing) {
  const QStringList ids{add("one"), add("two")};
  openWindow();
  compare(ids);
  EXPECT_GT(curves().smoothing(), 0);
  const int smoothed = curves().drawnPoints();
  auto* slider = page().findChild<CurvesCard*>()->findChild<QSlider*>();
  slider->setFocus();
  QTest::keyClick(slider, Qt::Key_Home);
  EXPECT_EQ(curves().smoothing(), 0);
  EXPECT_EQ(curves().drawnPoints() * 2, smoothed) << "without smoothing there is nothing faint behind";
  choice("Curve")->setFocus();
  QTest::keyClick(choice("Curve"), Qt::Key_Down);
  EXPECT_EQ(curves().series().yLabel, "evaluation loss");
  EXPECT_EQ(curves().series().curves[0].points.size(), 1u);
  EXPECT_FALSE(slider->isEnabled());
  choice("X axis")->setFocus();
  QTest::keyClick(choice("X axis"), Qt::Key_Down);
  EXPECT_EQ(curves().series().xLabel, "tokens");
  EXPECT_EQ(curves().series().curves[0].points[0].x, 8000);
}

TEST_F(ComparePageTest, MemoryAndScatterShowTheSameRuns) {
  const QStringList ids{add("one", {{"peft.r", "4"}}, falling(8, 2.5)), add("two", {{"peft.r", "64"}}, falling(8, 2.25))};
  openWindow();
  compare(ids);
  const auto& bars = page().findChild<plots::PeakBarPlot*>()->bars();
  ASSERT_EQ(bars.size(), 2u);
  EXPECT_EQ(bars[0].activation, 280.0 * (1 << 20)) << "at the fullest moment, not at the first";
  EXPECT_EQ(bars[0].staticCache, 250.0 * (1 << 20));
  EXPECT_EQ(bars[0].budget, 700.0 * (1 << 20));
  auto* scatter = page().findChild<plots::ScatterPlot*>();
  EXPECT_EQ(choice("Setting")->currentText(), "peft.r") << "what differs comes first";
  ASSERT_EQ(scatter->series().points.size(), 2u);
  EXPECT_EQ(scatter->series().points[1].x, 64);
  choice("Result")->setCurrentText(QStringLiteral("loss, last"));
  EXPECT_NEAR(scatter->series().points[1].y, 2.18, 1e-9);
}

TEST_F(ComparePageTest, FollowsARunThatGoesOnAndForgetsADeletedOne) {
  const QStringList ids{add("one"), add("two")};
  openWindow();
  compare(ids);
  ASSERT_TRUE(store_->rename(ids[1].toStdString(), "renamed").ok());
  ASSERT_TRUE(QTest::qWaitFor([&] { return table().model()->headerData(1, Qt::Horizontal).toString() == QLatin1String("renamed"); }, kWaitMs));
  ASSERT_TRUE(store_->deleteRun(ids[1].toStdString()).ok());
  ASSERT_TRUE(QTest::qWaitFor([&] { return page().chosen().size() == 1; }, kWaitMs));
  EXPECT_FALSE(table().isVisible());
}

TEST_F(ComparePageTest, ADoubleClickOnARunsHeadingOpensIt) {
  const QStringList ids{add("one"), add("two")};
  openWindow();
  compare(ids);
  QHeaderView* header = table().horizontalHeader();
  const QPoint place(header->sectionViewportPosition(1) + 30, header->height() / 2);
  QTest::mouseClick(header->viewport(), Qt::LeftButton, {}, place);
  QTest::mouseDClick(header->viewport(), Qt::LeftButton, {}, place);
  EXPECT_EQ(window_->runPage()->runId(), ids[1]);
}

TEST_F(ComparePageTest, HostileNamesStayPlainTextAndWidenNothing) {
  QStringList ids;
  for (const std::string& name : tests::hostileNames()) ids << add(name);
  openWindow();
  compare(ids);
  for (int i = 0; i < ids.size(); ++i) {
    const QString name = QString::fromStdString(tests::hostileNames()[static_cast<std::size_t>(i)]).simplified();
    EXPECT_EQ(table().model()->headerData(i, Qt::Horizontal).toString(), name);
    EXPECT_FALSE(table().model()->headerData(i, Qt::Horizontal, Qt::ToolTipRole).toString().contains(QRegularExpression(QStringLiteral("<(b|img|script|a|table)[ >]"))));
  }
  QTest::keyClick(&curves(), Qt::Key_Left);
  QTest::keyClick(page().findChild<plots::PeakBarPlot*>(), Qt::Key_Down);
  for (QLabel* label : page().findChildren<QLabel*>()) {
    EXPECT_FALSE(label->textFormat() != Qt::PlainText && !label->text().isEmpty()) << label->text().toStdString();
  }
  EXPECT_EQ(window_->width(), 1440);
  const QString failure = plots::writePlot(curves(), folder_.filePath(QStringLiteral("hostile.svg")));
  ASSERT_TRUE(failure.isEmpty()) << failure.toStdString();
  QFile svg(folder_.filePath(QStringLiteral("hostile.svg")));
  ASSERT_TRUE(svg.open(QIODevice::ReadOnly));
  EXPECT_FALSE(svg.readAll().contains("<script"));
}

TEST_F(ComparePageTest, TwentyLongRunsAreDrawnWithFewPoints) {
  QStringList ids;
  for (int i = 0; i < 20; ++i) ids << add("run " + std::to_string(i), {{"peft.r", std::to_string(i + 1)}}, falling(2000, 30));
  openWindow();
  compare(ids);
  ASSERT_EQ(curves().series().curves.size(), 20u);
  EXPECT_EQ(curves().series().curves[19].points.size(), 2000u);
  EXPECT_LE(curves().drawnPoints(), 20 * 2 * 4 * curves().width());
  EXPECT_EQ(table().model()->columnCount(), 20);
}

TEST_F(ComparePageTest, SavesEveryPlotAsPngAndSvg) {
  const QStringList ids{add("one"), add("two", {{"peft.r", "4"}})};
  openWindow();
  compare(ids);
  const QString png = folder_.filePath(QStringLiteral("curves.png")), svg = folder_.filePath(QStringLiteral("peaks.svg"));
  ASSERT_EQ(plots::writePlot(curves(), png), QString());
  const QImage image(png);
  ASSERT_FALSE(image.isNull());
  const QColor first = plots::runColor(0, plots::PlotTheme::light());
  int drawn = 0;
  for (int y = 0; y < image.height(); ++y) {
    for (int x = 0; x < image.width(); ++x) drawn += image.pixelColor(x, y) == first ? 1 : 0;
  }
  EXPECT_GT(drawn, 100) << "legend and line in the run's colour";
  ASSERT_EQ(plots::writePlot(*page().findChild<plots::PeakBarPlot*>(), svg), QString());
  QFile file(svg);
  ASSERT_TRUE(file.open(QIODevice::ReadOnly));
  const QByteArray content = file.readAll();
  EXPECT_TRUE(content.contains("<svg"));
  EXPECT_TRUE(content.contains("Peak memory by component"));
  EXPECT_FALSE(content.contains("<image")) << "vectors, not pictures";
  EXPECT_TRUE(plots::writePlot(curves(), folder_.filePath(QStringLiteral("curves.gif"))).contains(".png or .svg"));
  EXPECT_FALSE(plots::writePlot(curves(), folder_.filePath(QStringLiteral("no/such/curves.png"))).isEmpty());
}

}  // namespace
}  // namespace tidemark::ui
