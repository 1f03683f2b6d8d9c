#include <gtest/gtest.h>

#include <QApplication>
#include <QPainter>
#include <QSet>
#include <QSignalSpy>
#include <QTest>

#include "plots/curve_plot.h"
#include "plots/length_histogram.h"
#include "plots/memory_stack_plot.h"
#include "plots/operator_bar_plot.h"

namespace tidemark::plots {
namespace {

constexpr double kMiB = 1 << 20;

MemorySeries triangle(int operators) {
  MemorySeries series;
  series.budget = 1100 * kMiB;
  for (int i = 0; i < 2 * operators; ++i) {
    const int depth = i < operators ? i : 2 * operators - 1 - i;
    series.moments.push_back({.operatorName = "layers." + std::to_string(depth), .operatorIndex = depth,
                              .isForward = i < operators, .activation = depth * 15 * kMiB, .dynamicCache = 200 * kMiB,
                              .staticCache = 250 * kMiB, .trainable = 20 * kMiB, .workspace = 10 * kMiB,
                              .resize = i == 3 ? -3.4 * kMiB : 0, .reason = i == 3 ? "its slot becomes its activation" : ""});
  }
  return series;
}

template <typename Plot>
void showAt(Plot& plot, const QSize& size) {
  plot.resize(size);
  plot.show();
  EXPECT_TRUE(QTest::qWaitForWindowExposed(&plot));
  QTest::qWait(30);
}

int countColor(QWidget& widget, const QColor& color) {
  const QImage image = widget.grab().toImage();
  int count = 0;
  for (int y = 0; y < image.height(); ++y) {
    for (int x = 0; x < image.width(); ++x) {
      const QColor pixel = image.pixelColor(x, y);
      if (std::abs(pixel.red() - color.red()) + std::abs(pixel.green() - color.green()) +
              std::abs(pixel.blue() - color.blue()) < 6) ++count;
    }
  }
  return count;
}

TEST(MemoryStackPlot, DrawsEverySpaceInItsColour) {
  MemoryStackPlot plot;
  plot.setSeries(triangle(30));
  showAt(plot, {800, 320});
  for (const Space space : {Space::Static, Space::Dynamic, Space::Activation, Space::Workspace, Space::Trainable}) {
    EXPECT_GT(countColor(plot, spaceColor(space)), 200) << static_cast<int>(space);
  }
}

TEST(MemoryStackPlot, KeysMoveTheCursorAndTheCardTellsTheMoment) {
  MemoryStackPlot plot;
  plot.setSeries(triangle(30));
  showAt(plot, {800, 320});
  QSignalSpy moved(&plot, &MemoryStackPlot::pointedAt);
  for (int i = 0; i < 4; ++i) QTest::keyClick(&plot, Qt::Key_Right);
  EXPECT_EQ(plot.cursor(), 3);
  EXPECT_EQ(moved.count(), 4);
  EXPECT_TRUE(plot.cardText().contains("layers.3"));
  EXPECT_TRUE(plot.cardText().contains("its slot becomes its activation"));
  EXPECT_TRUE(plot.cardText().contains(QStringLiteral("\u22123.40 MiB")));
  QTest::keyClick(&plot, Qt::Key_End);
  EXPECT_EQ(plot.cursor(), 59);
  EXPECT_TRUE(plot.cardText().contains("operator 0 backward"));
  QTest::keyClick(&plot, Qt::Key_Escape);
  EXPECT_EQ(plot.cursor(), -1);
}

TEST(MemoryStackPlot, PointerMovesTheCursorToTheMomentUnderIt) {
  MemoryStackPlot plot;
  plot.setSeries(triangle(30));
  showAt(plot, {800, 320});
  auto* canvas = plot.findChild<QWidget*>();
  ASSERT_NE(canvas, nullptr);
  QTest::mouseMove(canvas, QPoint(100, 150));
  QTest::qWait(10);
  const int left = plot.cursor();
  QTest::mouseMove(canvas, QPoint(700, 150));
  QTest::qWait(10);
  EXPECT_GE(left, 0);
  EXPECT_GT(plot.cursor(), left + 20);
}

TEST(MemoryStackPlot, ShorterSeriesDropsACursorBeyondIt) {
  MemoryStackPlot plot;
  plot.setSeries(triangle(30));
  plot.setCursor(50);
  plot.setSeries(triangle(3));
  EXPECT_EQ(plot.cursor(), -1);
  plot.setSeries({});
  plot.setCursor(4);
  EXPECT_EQ(plot.cursor(), -1);
}

TEST(OperatorBarPlot, KeysAndHighlightNameTheOperator) {
  OperatorBarPlot plot;
  plot.setBars({{"embedding", 1 * kMiB, true}, {"layers.0.mlp", 14.8 * kMiB, false}, {"head", 4 * kMiB, true}});
  showAt(plot, {500, 240});
  QTest::keyClick(&plot, Qt::Key_Right);
  QTest::keyClick(&plot, Qt::Key_Right);
  EXPECT_EQ(plot.highlight(), 1);
  EXPECT_TRUE(plot.cardText().contains("layers.0.mlp"));
  EXPECT_TRUE(plot.cardText().contains("14.8 MiB"));
  EXPECT_TRUE(plot.cardText().contains("computed again"));
  plot.setHighlight(99);
  EXPECT_EQ(plot.highlight(), -1);
  EXPECT_GT(countColor(plot, spaceColor(Space::Activation)), 300);
}

TEST(CurvePlot, DrawsFewerPointsThanItWasGivenAndAnswersKeys) {
  CurvePlot plot;
  CurveSeries series;
  for (int i = 0; i < 200'000; ++i) {
    series.loss.push_back({i + 1.0, 2.0 + (i % 7) * 0.1});
    series.throughput.push_back({i + 1.0, 230.0});
  }
  series.evaluationLoss.push_back({0, 2.5});
  plot.setSeries(series);
  showAt(plot, {600, 260});
  EXPECT_LE(plot.drawnLossPoints(), 4 * 600);
  EXPECT_GT(plot.drawnLossPoints(), 600);
  QTest::keyClick(&plot, Qt::Key_Left);
  EXPECT_TRUE(plot.cardText().contains("230 tokens/s"));
  EXPECT_TRUE(plot.cardText().contains("200 k"));
  plot.setSmoothing(5);
  EXPECT_DOUBLE_EQ(plot.smoothing(), 0.99);
}

LengthSeries lengths() {
  LengthSeries series;
  for (int i = 0; i < 12; ++i) series.bins.push_back({i * 10.0 + 1, i * 10.0 + 10, 100.0 - i});
  series.binWidth = 10;
  series.limit = 80;
  series.rows = 1134;
  series.cut = 362;
  return series;
}

TEST(LengthHistogram, BarsBeyondTheLimitLookDifferent) {
  LengthHistogram plot;
  plot.setSeries(lengths());
  showAt(plot, {500, 200});
  EXPECT_GT(countColor(plot, spaceColor(Space::Static)), 2000);
  EXPECT_GT(countColor(plot, spaceColor(Space::Workspace)), 300);
  EXPECT_TRUE(plot.limitText().contains("362 longer")) << plot.limitText().toStdString();
  EXPECT_TRUE(plot.limitText().contains("32 %")) << plot.limitText().toStdString();
}

TEST(LengthHistogram, KeysAndPointerTellABar) {
  LengthHistogram plot;
  LengthSeries series = lengths();
  series.isLastOpen = true;
  plot.setSeries(series);
  showAt(plot, {500, 200});
  QTest::keyClick(&plot, Qt::Key_Right);
  EXPECT_EQ(plot.highlight(), 0);
  EXPECT_TRUE(plot.cardText().contains("1 to 10")) << plot.cardText().toStdString();
  EXPECT_TRUE(plot.cardText().contains("rows: 100"));
  QTest::keyClick(&plot, Qt::Key_Escape);
  QTest::keyClick(&plot, Qt::Key_Left);
  EXPECT_EQ(plot.highlight(), 11);
  EXPECT_TRUE(plot.cardText().contains("111 and more"));
  plot.setSeries({});
  QTest::keyClick(&plot, Qt::Key_Right);
  EXPECT_EQ(plot.highlight(), -1);
}

TEST(PlotFrame, DarkThemeAndVectorPictureWork) {
  MemoryStackPlot plot;
  plot.setSeries(triangle(10));
  plot.setTheme(PlotTheme::dark());
  showAt(plot, {400, 200});
  EXPECT_GT(countColor(plot, PlotTheme::dark().background), 1000);
  QImage image(800, 400, QImage::Format_RGB32);  // twice as large: vectors are drawn at the painter's scale
  image.fill(Qt::magenta);
  QPainter painter(&image);
  painter.scale(2, 2);
  plot.drawVector(painter, {400, 200});
  painter.end();
  EXPECT_EQ(image.pixelColor(790, 395), QColor(Qt::white)) << "light, whatever is shown";
  int amber = 0;
  for (int y = 0; y < image.height(); ++y) {
    for (int x = 0; x < image.width(); ++x) amber += image.pixelColor(x, y) == spaceColor(Space::Activation) ? 1 : 0;
  }
  EXPECT_GT(amber, 2000);
  EXPECT_EQ(plot.theme().background, PlotTheme::dark().background);
}

}  // namespace
}  // namespace tidemark::plots
