// Parallel coordinates, used with pointer and keys.
#include "plots/parallel_plot.h"

#include <gtest/gtest.h>

#include <QSignalSpy>
#include <QTest>
#include <qcustomplot.h>

namespace tidemark::plots {
namespace {

// Three runs: the learning rates 1e-4, 2e-4 and 4e-4 end at losses 3, 2 and 1; the last has not been evaluated.
ParallelSeries series() {
  ParallelSeries series;
  series.axes = {{.label = "Learning rate", .isLogarithmic = true, .words = {}},
                 {.label = "Policy", .words = {"elastic", "pinned"}},
                 {.label = "loss, last", .isResult = true, .words = {}}};
  series.lines = {{"a", 0, {1e-4, 0, 3}}, {"b", 1, {2e-4, 1, 2}}, {"c", 2, {4e-4, 0, std::nullopt}}};
  return series;
}

class ParallelPlotTest : public testing::Test {
 protected:
  void SetUp() override {
    plot_.resize(700, 300);
    plot_.setSeries(series());
    plot_.show();
    ASSERT_TRUE(QTest::qWaitForWindowExposed(&plot_));
    inner_ = plot_.findChild<QCustomPlot*>();
    inner_->replot();
  }
  QPoint at(double axis, double place) const {
    return {static_cast<int>(inner_->xAxis->coordToPixel(axis)), static_cast<int>(inner_->yAxis->coordToPixel(place))};
  }
  void drag(double axis, double from, double to) {
    QTest::mousePress(inner_, Qt::LeftButton, {}, at(axis, from));
    QTest::mouseMove(inner_, at(axis, (from + to) / 2));
    QTest::mouseMove(inner_, at(axis, to));
    QTest::mouseRelease(inner_, Qt::LeftButton, {}, at(axis, to));
  }

  ParallelPlot plot_;
  QCustomPlot* inner_ = nullptr;
};

TEST_F(ParallelPlotTest, KeysTellEveryRunWithAllItsValues) {
  plot_.setFocus();
  QTest::keyClick(&plot_, Qt::Key_Right);
  QTest::keyClick(&plot_, Qt::Key_Right);
  EXPECT_TRUE(plot_.cardText().startsWith("b")) << plot_.cardText().toStdString();
  EXPECT_TRUE(plot_.cardText().contains("Policy: pinned"));
  EXPECT_TRUE(plot_.cardText().contains("loss, last: 2"));
  QTest::keyClick(&plot_, Qt::Key_Right);
  EXPECT_TRUE(plot_.cardText().contains("loss, last: not known"));
  QTest::keyClick(&plot_, Qt::Key_Escape);
  EXPECT_TRUE(plot_.cardText().isEmpty());
}

TEST_F(ParallelPlotTest, DraggingAlongAnAxisKeepsTheRunsThatPassThere) {
  QSignalSpy brushed(&plot_, &ParallelPlot::brushed);
  drag(0, -0.03, 0.6);  // the two lower learning rates, by magnitude at 0 and 0.5
  EXPECT_GT(brushed.count(), 0);
  EXPECT_TRUE(plot_.isKept(0));
  EXPECT_TRUE(plot_.isKept(1));
  EXPECT_FALSE(plot_.isKept(2));
  drag(2, 0.5, 1.04);  // of these, the greater loss
  EXPECT_EQ(plot_.keptCount(), 1);
  EXPECT_TRUE(plot_.isKept(0));
  EXPECT_TRUE(plot_.accessibleDescription().contains("1 of 3"));
}

TEST_F(ParallelPlotTest, AClickOnTheAxisOrDeleteKeepsAllAgain) {
  drag(0, 0.8, 1.04);
  EXPECT_EQ(plot_.keptCount(), 1);
  QTest::mouseClick(inner_, Qt::LeftButton, {}, at(0, 0.3));
  EXPECT_EQ(plot_.keptCount(), 3);
  drag(0, 0.8, 1.04);
  QTest::keyClick(&plot_, Qt::Key_Delete);
  EXPECT_EQ(plot_.keptCount(), 3);
}

TEST_F(ParallelPlotTest, ARunWithoutAValueDoesNotPassAMarkedRange) {
  drag(2, -0.03, 1.04);
  EXPECT_EQ(plot_.keptCount(), 2);
}

TEST_F(ParallelPlotTest, ThePointerFindsTheLineUnderIt) {
  QTest::mouseMove(inner_, at(0.5, 0.75));  // run b goes from 0.5 to 1
  EXPECT_TRUE(plot_.cardText().startsWith("b")) << plot_.cardText().toStdString();
  QTest::mouseMove(inner_, at(0.5, 0.1));
  EXPECT_TRUE(plot_.cardText().isEmpty()) << plot_.cardText().toStdString();
}

TEST_F(ParallelPlotTest, BrushesStayWithTheirAxisWhenRunsComeAndAxesGo) {
  drag(0, -0.03, 0.2);
  EXPECT_EQ(plot_.keptCount(), 1);
  ParallelSeries other = series();
  other.axes.erase(other.axes.begin() + 1);
  for (ParallelLine& line : other.lines) line.values.erase(line.values.begin() + 1);
  other.lines.push_back({"d", 3, {1e-4, 5}});
  plot_.setSeries(other);
  EXPECT_EQ(plot_.keptCount(), 2);
  plot_.setSeries({});
  EXPECT_EQ(plot_.keptCount(), 0);
}

TEST_F(ParallelPlotTest, TheLegendNamesTheRuns) {
  ASSERT_EQ(plot_.legend().size(), 3u);
  EXPECT_EQ(plot_.legend()[1].name, "b");
}

}  // namespace
}  // namespace tidemark::plots
