// Presets, taking back and making again, and configurations dropped on the form of a new run.
#include <gtest/gtest.h>

#include <QApplication>
#include <QDropEvent>
#include <QFile>
#include <QMenu>
#include <QMimeData>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>

#include "ui/models/presets.h"
#include "ui/pages/new_run_page.h"
#include "ui/widgets/banner.h"
#include "ui/widgets/field_editor.h"

namespace tidemark::ui {
namespace {

const QString kSteps = QStringLiteral("training.max_steps");
const QString kRanks = QStringLiteral("parallel.ranks");

class NewRunEditingTest : public testing::Test {
 protected:
  void SetUp() override {
    page_.resize(1229, 900);
    page_.show();
    ASSERT_TRUE(QTest::qWaitForWindowExposed(&page_));
  }
  void type(const QString& key, const QString& text) {
    auto* line = page_.findChild<QWidget*>(key);
    QTest::mouseClick(line, Qt::LeftButton);
    QTest::keyClick(line, Qt::Key_A, Qt::ControlModifier);
    QTest::keyClicks(line, text);
  }
  QToolButton* button(const QString& name) {
    for (QToolButton* found : page_.findChildren<QToolButton*>())
      if (found->accessibleName() == name) return found;
    return nullptr;
  }
  void press(const QString& name) { QTest::mouseClick(button(name), Qt::LeftButton); }
  QString shown(const QString& key) { return page_.field(key)->text(); }
  void drop(const QString& path) {
    QMimeData data;
    data.setUrls({QUrl::fromLocalFile(path)});
    QDragEnterEvent enter({600, 20}, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(&page_, &enter);
    ASSERT_TRUE(enter.isAccepted());
    QDropEvent event({600, 20}, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(&page_, &event);
  }
  QString file(const QString& name, const QByteArray& content) {
    QFile out(folder_.filePath(name));
    EXPECT_TRUE(out.open(QIODevice::WriteOnly));
    out.write(content);
    return out.fileName();
  }

  QTemporaryDir folder_;
  NewRunPage page_;
};

TEST_F(NewRunEditingTest, AWholeEntryIsTakenBackAndMadeAgain) {
  EXPECT_FALSE(button(QStringLiteral("Undo"))->isEnabled());
  const QString before = shown(kSteps);
  type(kSteps, QStringLiteral("777"));
  type(kRanks, QStringLiteral("4"));
  press(QStringLiteral("Undo"));
  EXPECT_EQ(shown(kRanks), "2");
  EXPECT_EQ(shown(kSteps), "777");
  press(QStringLiteral("Undo"));
  EXPECT_EQ(shown(kSteps), before);
  EXPECT_EQ(page_.form().config().training.maxSteps, 100);
  EXPECT_FALSE(button(QStringLiteral("Undo"))->isEnabled());
  press(QStringLiteral("Redo"));
  press(QStringLiteral("Redo"));
  EXPECT_EQ(shown(kSteps), "777");
  EXPECT_EQ(shown(kRanks), "4");
  EXPECT_FALSE(button(QStringLiteral("Redo"))->isEnabled());
}

TEST_F(NewRunEditingTest, ANewChangeEndsWhatCouldBeMadeAgain) {
  type(kSteps, QStringLiteral("5"));
  press(QStringLiteral("Undo"));
  type(kRanks, QStringLiteral("8"));
  EXPECT_FALSE(button(QStringLiteral("Redo"))->isEnabled());
}

TEST_F(NewRunEditingTest, APresetKeepsTheFilesAndIsOneStep) {
  page_.form().setText(QStringLiteral("model"), QStringLiteral("/models/a.gguf"));
  page_.form().setText(QStringLiteral("dataset.train"), QStringLiteral("/data/a.jsonl"));
  type(kSteps, QStringLiteral("5"));
  QMenu* menu = button(QStringLiteral("Preset"))->menu();
  for (QAction* action : menu->actions())
    if (action->text() == QLatin1String("Four GPUs")) action->trigger();
  EXPECT_EQ(shown(kRanks), "4");
  EXPECT_EQ(page_.form().config().parallel.device, "cuda");
  EXPECT_EQ(shown(QStringLiteral("model")), "/models/a.gguf");
  EXPECT_EQ(shown(QStringLiteral("dataset.train")), "/data/a.jsonl");
  press(QStringLiteral("Undo"));
  EXPECT_EQ(shown(kRanks), "2");
  EXPECT_EQ(shown(kSteps), "5");
}

TEST(Presets, AreSoundButForTheFilesTheyLeaveOut) {
  ASSERT_GE(presets().size(), 4u);
  const auto defaults = run::flatten(run::RunConfig{});
  for (const Preset& preset : presets()) {
    for (const run::ConfigProblem& problem : run::validate(preset.config))
      EXPECT_TRUE(problem.key == "model" || problem.key == "dataset.train") << preset.name.toStdString() << ": " << problem.key << " " << problem.what;
    EXPECT_NE(run::flatten(preset.config), defaults) << preset.name.toStdString() << " changes nothing";
    EXPECT_FALSE(preset.help.isEmpty());
  }
}

TEST_F(NewRunEditingTest, ADroppedConfigurationFillsTheForm) {
  drop(file(QStringLiteral("mine.yaml"), "model: m.gguf\ndataset: {train: d.jsonl}\ntraining: {max_steps: 42}\nparallel: {ranks: 4}\n"));
  EXPECT_EQ(shown(kSteps), "42");
  EXPECT_EQ(shown(kRanks), "4");
  EXPECT_EQ(shown(QStringLiteral("dataset.train")), folder_.filePath(QStringLiteral("d.jsonl"))) << "relative to its folder";
  EXPECT_FALSE(page_.banner()->isVisible());
  press(QStringLiteral("Undo"));
  EXPECT_EQ(shown(kSteps), "100");
}

TEST_F(NewRunEditingTest, ADroppedConfigurationWithProblemsNamesThem) {
  drop(file(QStringLiteral("odd.yaml"), "model: m.gguf\ndataset: {train: d.jsonl}\ntraining: {max_stepz: 42, seed: 7}\n"));
  EXPECT_TRUE(page_.banner()->isVisible());
  EXPECT_TRUE(page_.banner()->text().contains("max_stepz")) << page_.banner()->text().toStdString();
  EXPECT_EQ(shown(QStringLiteral("training.seed")), "7");
  drop(file(QStringLiteral("broken.yaml"), "model: [\n"));
  EXPECT_TRUE(page_.banner()->text().contains("broken.yaml")) << page_.banner()->text().toStdString();
  EXPECT_EQ(shown(QStringLiteral("training.seed")), "7");
}

TEST_F(NewRunEditingTest, ADroppedModelOrDatasetGoesToItsField) {
  drop(file(QStringLiteral("small.gguf"), "GGUF"));
  drop(file(QStringLiteral("rows.jsonl"), "{}\n"));
  EXPECT_TRUE(shown(QStringLiteral("model")).endsWith("small.gguf"));
  EXPECT_TRUE(shown(QStringLiteral("dataset.train")).endsWith("rows.jsonl"));
}

}  // namespace
}  // namespace tidemark::ui
