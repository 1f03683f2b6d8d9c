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
  const Status status = writePdfReport(*detail, path);
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
  RunDetail detail;
  detail.record.name = "x";
  const Status status = writePdfReport(detail, folder_.filePath(QStringLiteral("missing/folder/report.pdf")));
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.error().subject.find("missing/folder"), std::string::npos);
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
  EXPECT_EQ(files.size(), 20);
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
