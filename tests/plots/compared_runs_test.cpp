// The plots that show several runs at once: the same colour everywhere, values told by pointer and keys, few points drawn.
#include <gtest/gtest.h>

#include <array>

#include <QApplication>
#include <QImage>
#include <QPainter>
#include <QTest>
#include <cmath>

#include "plots/overlay_plot.h"
#include "plots/peak_bar_plot.h"
#include "plots/run_mark.h"
#include "plots/scatter_plot.h"

namespace tidemark::plots {
namespace {

constexpr double kMiB = 1 << 20;

// https://www.w3.org/TR/WCAG21/#dfn-contrast-ratio
double luminance(const QColor& color) {
  const auto linear = [](double c) { return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4); };
  return 0.2126 * linear(color.redF()) + 0.7152 * linear(color.greenF()) + 0.0722 * linear(color.blueF());
}

double contrast(const QColor& a, const QColor& b) {
  const double low = std::min(luminance(a), luminance(b)), high = std::max(luminance(a), luminance(b));
  return (high + 0.05) / (low + 0.05);
}

template <typename Plot>
void showAt(Plot& plot, const QSize& size) {
  plot.resize(size);
  plot.show();
  ASSERT_TRUE(QTest::qWaitForWindowExposed(&plot));
  QApplication::processEvents();
}

OverlaySeries overlay(int runs, int points) {
  OverlaySeries series{.xLabel = "step", .yLabel = "loss"};
  for (int i = 0; i < runs; ++i) {
    OverlayCurve curve{"run " + std::to_string(i), i, {}};
    for (int x = 1; x <= points; ++x) curve.points.push_back({static_cast<double>(x), 2.0 + i + 0.1 * (x % 5)});
    series.curves.push_back(std::move(curve));
  }
  return series;
}

int countColor(QWidget& widget, const QColor& color) {
  const QImage image = widget.grab().toImage();
  int count = 0;
  for (int y = 0; y < image.height(); ++y) {
    for (int x = 0; x < image.width(); ++x) count += image.pixelColor(x, y) == color ? 1 : 0;
  }
  return count;
}

TEST(RunMark, EveryColourIsReadableOnItsThemeAndNoTwoOfThirtyAreAlike) {
  for (const PlotTheme& theme : {PlotTheme::light(), PlotTheme::dark()}) {
    for (int i = 0; i < 10; ++i) {
      EXPECT_GE(contrast(runColor(i, theme), theme.background), 4.0) << i;
      for (int j = 0; j < i; ++j) {
        const QColor a = runColor(i, theme), b = runColor(j, theme);
        EXPECT_GT(std::abs(a.red() - b.red()) + std::abs(a.green() - b.green()) + std::abs(a.blue() - b.blue()), 60) << i << ", " << j;
      }
    }
  }
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(runColor(i, PlotTheme::light()), runColor(i + 10, PlotTheme::light()));
    EXPECT_NE(runShape(i), runShape(i + 10));
    EXPECT_NE(runLine(i), runLine(i + 10));
  }
}

TEST(OverlayPlot, DecimatesLongCurvesAndKeepsTheRawOneBehindASmoothedOne) {
  OverlayPlot plot;
  plot.setSeries(overlay(3, 50'000));
  showAt(plot, {600, 300});
  EXPECT_LE(plot.drawnPoints(), 3 * 4 * 600);
  const int raw = plot.drawnPoints();
  plot.setSmoothing(0.9);
  EXPECT_GT(plot.drawnPoints(), raw);
  EXPECT_LE(plot.drawnPoints(), 2 * 3 * 4 * 600);
}

TEST(OverlayPlot, KeysReadAllCurvesAtOnePlaceAndOneStandsOut) {
  OverlayPlot plot;
  plot.setSeries(overlay(3, 20));
  showAt(plot, {600, 300});
  QTest::keyClick(&plot, Qt::Key_Left);
  EXPECT_TRUE(plot.cardText().contains("step: 20"));
  EXPECT_TRUE(plot.cardText().contains(QStringLiteral("▸ run 0: 2.000")));
  EXPECT_TRUE(plot.cardText().contains("run 2: 4.000"));
  QTest::keyClick(&plot, Qt::Key_Left);
  QTest::keyClick(&plot, Qt::Key_Down);
  EXPECT_TRUE(plot.cardText().contains("step: 19"));
  EXPECT_TRUE(plot.cardText().contains(QStringLiteral("▸ run 1: 3.400")));
  QTest::keyClick(&plot, Qt::Key_Escape);
  EXPECT_TRUE(plot.cardText().isEmpty());
}

TEST(OverlayPlot, ThePointerFindsTheNearestCurve) {
  OverlayPlot plot;
  plot.setSeries(overlay(2, 20));
  showAt(plot, {600, 300});
  auto* canvas = plot.findChild<QWidget*>();
  QTest::mouseMove(canvas, QPoint(300, 40));
  QApplication::processEvents();
  EXPECT_TRUE(plot.cardText().contains(QStringLiteral("▸ run 1"))) << plot.cardText().toStdString();
  QTest::mouseMove(canvas, QPoint(300, 220));
  QApplication::processEvents();
  EXPECT_TRUE(plot.cardText().contains(QStringLiteral("▸ run 0"))) << plot.cardText().toStdString();
}

TEST(OverlayPlot, ManyCurvesDoNotOutgrowTheCard) {
  OverlayPlot plot;
  plot.setSeries(overlay(40, 20));
  showAt(plot, {600, 240});
  QTest::keyClick(&plot, Qt::Key_Left);
  EXPECT_TRUE(plot.cardText().contains(QStringLiteral("▸ run 0")));
  EXPECT_TRUE(plot.cardText().contains("more"));
  EXPECT_LE(plot.cardText().count('\n'), 240 / 20);
}

TEST(OverlayPlot, TakesFewerCurvesAndNoneWhileOneStandsOut) {
  OverlayPlot plot;
  plot.setSeries(overlay(5, 20));
  showAt(plot, {600, 300});
  QTest::keyClick(&plot, Qt::Key_Left);
  QTest::keyClick(&plot, Qt::Key_Up);
  EXPECT_TRUE(plot.cardText().contains(QStringLiteral("▸ run 4")));
  plot.setSeries(overlay(2, 20));
  EXPECT_TRUE(plot.cardText().isEmpty());
  plot.setSeries({});
  QTest::keyClick(&plot, Qt::Key_Left);
  EXPECT_TRUE(plot.cardText().isEmpty());
}

TEST(OverlayPlot, CurvesThatLieOnEachOtherShareTheirLine) {
  OverlayPlot plot;
  OverlaySeries series;
  for (const double shift : {0.0, 0.0, 1.0, 0.0001}) {
    OverlayCurve curve{"c", static_cast<int>(series.curves.size()), {}};
    for (int x = 0; x < 20; ++x) curve.points.push_back({static_cast<double>(x), 20.0 - x + shift});
    series.curves.push_back(curve);
  }
  plot.setSeries(series);
  EXPECT_EQ(plot.coinciding(0), 3);
  EXPECT_EQ(plot.coinciding(1), 3);
  EXPECT_EQ(plot.coinciding(2), 1);
  EXPECT_EQ(plot.coinciding(3), 3);
  series.curves[1].points[7].y += 2;
  plot.setSeries(series);
  EXPECT_EQ(plot.coinciding(1), 1);
  // Both colours are on the picture, although the lines are the same.
  plot.resize(600, 300);
  const QImage image = plot.grab().toImage();
  std::array<int, 2> drawn{};
  for (int y = 0; y < image.height(); ++y) {
    for (int x = 0; x < image.width(); ++x) {
      if (image.pixelColor(x, y) == runColor(0, PlotTheme::light())) ++drawn[0];
      if (image.pixelColor(x, y) == runColor(3, PlotTheme::light())) ++drawn[1];
    }
  }
  EXPECT_GT(drawn[0], 5);  // of its very colour: most pixels of a slanted line are mixed
  EXPECT_GT(drawn[1], 5);
}

TEST(OverlayPlot, NamesTheOperatorUnderTheCursor) {
  OverlayPlot plot;
  OverlaySeries series = overlay(1, 0);
  series.style = OverlaySeries::Style::Stairs;
  series.xNames = {"embedding", "layers.0.mlp"};
  series.curves[0].points = {{0, 5}, {1, 9}};
  plot.setSeries(series);
  showAt(plot, {400, 200});
  QTest::keyClick(&plot, Qt::Key_Left);
  EXPECT_TRUE(plot.cardText().contains("layers.0.mlp"));
}

TEST(PeakBarPlot, DrawsEverySpaceAndTellsItsParts) {
  PeakBarPlot plot;
  plot.setBars({{.name = "a", .mark = 0, .isMeasured = true, .trainable = 30 * kMiB, .staticCache = 250 * kMiB, .dynamicCache = 100 * kMiB,
                 .activation = 300 * kMiB, .workspace = 20 * kMiB, .budget = 720 * kMiB},
                {.name = "b", .mark = 1}});
  showAt(plot, {600, 200});
  for (const Space space : {Space::Static, Space::Dynamic, Space::Activation, Space::Workspace, Space::Trainable}) {
    EXPECT_GT(countColor(plot, spaceColor(space)), 100) << static_cast<int>(space);
  }
  QTest::keyClick(&plot, Qt::Key_Down);
  EXPECT_TRUE(plot.cardText().contains("activation: 300 MiB"));
  EXPECT_TRUE(plot.cardText().contains("together: 700 MiB"));
  QTest::keyClick(&plot, Qt::Key_Down);
  EXPECT_TRUE(plot.cardText().contains("not measured yet"));
  plot.setBars({});
  EXPECT_TRUE(plot.cardText().isEmpty());
}

TEST(ScatterPlot, KeysGoFromRunToRun) {
  ScatterPlot plot;
  plot.setSeries({.xLabel = "peft.r", .yLabel = "loss, last", .points = {{"a", 0, 8, 2.5}, {"b", 1, 16, 2.25}}});
  showAt(plot, {500, 260});
  QTest::keyClick(&plot, Qt::Key_Right);
  QTest::keyClick(&plot, Qt::Key_Right);
  EXPECT_TRUE(plot.cardText().contains("b"));
  EXPECT_TRUE(plot.cardText().contains("peft.r: 16"));
  EXPECT_TRUE(plot.cardText().contains("loss, last: 2.250"));
  EXPECT_GT(countColor(plot, runColor(0, PlotTheme::light())), 20);
  plot.setSeries({.xLabel = "policy", .yLabel = "loss", .words = {"1e5", "auto"}, .points = {{"a", 0, 1, 2.5}}});
  EXPECT_TRUE(plot.cardText().isEmpty());
  QTest::keyClick(&plot, Qt::Key_Right);
  EXPECT_TRUE(plot.cardText().contains("policy: auto"));
}

TEST(PlotFrame, DrawingIntoAFileLeavesThePlotAsItWas) {
  OverlayPlot plot;
  plot.setSeries(overlay(2, 20));
  showAt(plot, {600, 300});
  auto* canvas = plot.findChild<QWidget*>();
  const QSize before = canvas->size();
  QImage image(300, 200, QImage::Format_RGB32);
  QPainter painter(&image);
  plot.drawVector(painter, {300, 200});
  painter.end();
  EXPECT_EQ(canvas->size(), before);
}

}  // namespace
}  // namespace tidemark::plots
