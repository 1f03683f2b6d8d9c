// Saving and copying a plot, as a person does it: keys and the context menu.
#include "plots/plot_file.h"

#include <gtest/gtest.h>

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QFile>
#include <QFileDialog>
#include <QTemporaryDir>
#include <QTest>

#include "plots/curve_plot.h"

namespace tidemark::plots {
namespace {

class PlotFileTest : public testing::Test {
 protected:
  void SetUp() override {
    CurveSeries series;
    series.loss = {{1, 3}, {2, 2.5}, {3, 2}};
    plot_.setSeries(series);
    plot_.setPictureTitle("first: loss <b>");
    plot_.resize(500, 260);
    plot_.show();
    ASSERT_TRUE(QTest::qWaitForWindowExposed(&plot_));
    plot_.setFocus();
  }
  QByteArray read(const QString& path) const {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
  }
  QTemporaryDir folder_;
  CurvePlot plot_;
};

TEST_F(PlotFileTest, TheShortcutAsksForAFileAndSuggestsItsName) {
  QTest::keyClick(&plot_, Qt::Key_S, Qt::ControlModifier);
  auto* dialog = plot_.findChild<QFileDialog*>();
  ASSERT_NE(dialog, nullptr);
  EXPECT_TRUE(dialog->selectedFiles().value(0).endsWith("first-loss-b-.png")) << dialog->selectedFiles().join(" ").toStdString();
  const QString path = folder_.filePath("out.svg");
  emit dialog->fileSelected(path);
  dialog->close();
  const QByteArray svg = read(path);
  EXPECT_TRUE(svg.contains("<svg"));
  EXPECT_TRUE(svg.contains("first: loss &lt;b>") || svg.contains("first: loss &lt;b&gt;")) << "the title, as text";
  EXPECT_TRUE(svg.contains("tokens per second")) << "the legend";
  EXPECT_FALSE(svg.contains("<image"));
  EXPECT_TRUE(plot_.accessibleDescription().contains("out.svg"));
}

TEST_F(PlotFileTest, AFileThatCannotBeWrittenIsTold) {
  QTest::keyClick(&plot_, Qt::Key_S, Qt::ControlModifier);
  auto* dialog = plot_.findChild<QFileDialog*>();
  ASSERT_NE(dialog, nullptr);
  emit dialog->fileSelected(folder_.filePath("no/such/folder.png"));
  dialog->close();
  EXPECT_TRUE(plot_.accessibleDescription().contains("not saved")) << plot_.accessibleDescription().toStdString();
}

TEST_F(PlotFileTest, CopyPutsThePictureOnTheClipboard) {
  QTest::keyClick(&plot_, Qt::Key_C, Qt::ControlModifier);
  const QImage image = QApplication::clipboard()->image();
  ASSERT_FALSE(image.isNull());
  EXPECT_GT(image.width(), 2 * 480);
}

TEST_F(PlotFileTest, TheContextMenuHoldsBoth) {
  EXPECT_EQ(plot_.contextMenuPolicy(), Qt::ActionsContextMenu);
  QStringList names;
  for (const QAction* action : plot_.actions()) names << action->objectName();
  EXPECT_EQ(names, QStringList({"savePlot", "copyPlot"}));
}

TEST(PlotFileName, HoldsNothingThatAFileSystemMinds) {
  EXPECT_EQ(fileNameFor("first: memory, by operator"), "first-memory-by-operator");
  EXPECT_EQ(fileNameFor("../..//x"), "x");
  EXPECT_EQ(fileNameFor("<>"), "plot");
  EXPECT_EQ(fileNameFor("größe 1"), "größe-1");
  EXPECT_LE(fileNameFor(QString(500, QLatin1Char('a'))).size(), 120);
}

}  // namespace
}  // namespace tidemark::plots
