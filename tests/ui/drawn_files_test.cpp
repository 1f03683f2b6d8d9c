// What the workbench draws into files: pages as PNG, the report as PDF.
#include <gtest/gtest.h>

#include <QDir>
#include <QFile>
#include <QImage>
#include <QSet>
#include <QSignalSpy>
#include <QTemporaryDir>

#include "sample_run.h"
#include "ui/live/read_detail.h"
#include "ui/report/pdf_report.h"
#include "ui/report/run_plots.h"
#include "ui/shell/grab.h"
#include "ui/shell/main_window.h"

namespace tidemark::ui {
namespace {

class DrawnFilesTest : public testing::Test {
 protected:
  void SetUp() override {
    auto opened = storage::RunStore::open(database());
    ASSERT_TRUE(opened.ok()) << opened.error().message();
    store_ = std::move(opened).value();
    id_ = tests::addSampleRun(*store_, "<b>support</b> r8", folder_.path().toStdString(), {.steps = 40});
  }
  std::filesystem::path database() const { return folder_.filePath(QStringLiteral("tidemark.db")).toStdString(); }

  QTemporaryDir folder_;
  std::unique_ptr<storage::RunStore> store_;
  std::string id_;
};

TEST_F(DrawnFilesTest, TheReportIsAVectorPdfOfSeveralPages) {
  RunWish wish;
  wish.runId = id_;
  const auto detail = readDetail(*store_, wish, -1);
  ASSERT_TRUE(detail.ok()) << detail.error().message();
  const QString path = folder_.filePath(QStringLiteral("report.pdf"));
  ReportedRun run{*detail, {}};
  run.report.operators = detail->operators;
  run.report.plans = detail->plans;
  run.report.steps = detail->newSteps;
  const Status status = writePdfReport({run}, path);
  ASSERT_TRUE(status.ok()) << status.error().message();
  QFile file(path);
  ASSERT_TRUE(file.open(QIODevice::ReadOnly));
  const QByteArray content = file.readAll();
  EXPECT_TRUE(content.startsWith("%PDF-"));
  EXPECT_GE(content.count("/Type /Page\n"), 2);
  EXPECT_FALSE(content.contains("/Subtype /Image")) << "plots are vectors, not pictures";
  EXPECT_LT(content.size(), 1 << 20);
}

TEST_F(DrawnFilesTest, AReportThatCannotBeWrittenIsAnError) {
  ReportedRun run;
  run.detail.record.name = "x";
  const Status status = writePdfReport({run}, folder_.filePath(QStringLiteral("missing/folder/report.pdf")));
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.error().subject.find("missing/folder"), std::string::npos);
}

TEST_F(DrawnFilesTest, SeveralRunsAreComparedInOnePdf) {
  const std::string other = tests::addSampleRun(*store_, "other", folder_.filePath(QStringLiteral("other")).toStdString(), {.steps = 20});
  std::vector<ReportedRun> runs;
  for (const std::string& id : {id_, other}) {
    RunWish wish;
    wish.runId = id;
    runs.push_back({*readDetail(*store_, wish, -1), {}});
    runs.back().report.name = runs.back().detail.record.name;
  }
  const QString path = folder_.filePath(QStringLiteral("two.pdf"));
  const Status status = writePdfReport(runs, path);
  ASSERT_TRUE(status.ok()) << status.error().message();
  QFile file(path);
  ASSERT_TRUE(file.open(QIODevice::ReadOnly));
  EXPECT_GE(file.readAll().count("/Type /Page\n"), 5) << "one page compares, and each run has two or more";
}

TEST_F(DrawnFilesTest, EachPlotIsWrittenAsPngAndSvg) {
  RunWish wish;
  wish.runId = id_;
  const ReportedRun run{*readDetail(*store_, wish, -1), {}};
  const auto files = writePlots({run, run}, folder_.filePath(QStringLiteral("plots")));
  ASSERT_TRUE(files.ok()) << files.error().message();
  EXPECT_EQ(files->size(), 16);
  EXPECT_EQ(QSet<QString>(files->begin(), files->end()).size(), 16) << "runs of the same name do not overwrite each other";
  for (const QString& path : *files) {
    EXPECT_FALSE(path.contains(QLatin1Char('<')));
    QFile file(path);
    ASSERT_TRUE(file.open(QIODevice::ReadOnly)) << path.toStdString();
    const QByteArray content = file.readAll();
    if (path.endsWith(QLatin1String(".svg"))) EXPECT_TRUE(content.contains("<svg") && !content.contains("<image")) << path.toStdString();
    else EXPECT_FALSE(QImage::fromData(content).isNull()) << path.toStdString();
  }
}

TEST_F(DrawnFilesTest, EveryPageIsDrawnInLightAndDark) {
  MainWindow window({database(), QStringLiteral("/nonexistent"), Appearance::Light});
  window.show();
  window.resize(1440, 900);
  const QString target = folder_.filePath(QStringLiteral("pages"));
  Grab grab(window, target, {});
  QSignalSpy finished(&grab, &Grab::finished);
  grab.start();
  ASSERT_TRUE(finished.wait(240'000));
  EXPECT_TRUE(finished[0][0].toBool());
  const QStringList files = QDir(target).entryList({QStringLiteral("*.png")}, QDir::Files);
  EXPECT_EQ(files.size(), 24);
  for (const QString& name : files) {
    const QImage image(QDir(target).filePath(name));
    ASSERT_EQ(image.size(), QSize(1440, 900)) << name.toStdString();
    const bool isDark = image.pixelColor(1430, 890).lightness() < 128;
    EXPECT_EQ(isDark, name.endsWith(QLatin1String("-dark.png"))) << name.toStdString();
    QSet<QRgb> colors;
    for (int y = 0; y < image.height(); y += 3) {
      for (int x = 0; x < image.width(); x += 3) colors.insert(image.pixel(x, y));
    }
    EXPECT_GT(colors.size(), 12) << "an empty page: " << name.toStdString();
  }
}

}  // namespace
}  // namespace tidemark::ui
