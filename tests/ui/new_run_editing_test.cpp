// Presets, taking back and making again, and configurations dropped on the form of a new run.
#include <QMenu>

#include "tests/ui/new_run_fixture.h"
#include "ui/models/presets.h"
#include "ui/new_run/form_files.h"

namespace tidemark::ui {
namespace {

const QString kSteps = QStringLiteral("training.max_steps");
const QString kRanks = QStringLiteral("parallel.ranks");

using NewRunEditingTest = NewRunFixture;

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
  QMenu* menu = static_cast<QToolButton*>(button(QStringLiteral("Preset")))->menu();
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

TEST_F(NewRunEditingTest, ASavedConfigurationLoadsAgain) {
  approveFiles();
  type(kSteps, QStringLiteral("9"));
  const QString path = folder_.filePath(QStringLiteral("saved.yaml"));
  EXPECT_TRUE(page_.files()->save(path));
  EXPECT_TRUE(page_.banner()->text().contains("saved.yaml"));
  type(kSteps, QStringLiteral("10"));
  drop(path);
  EXPECT_EQ(shown(kSteps), "9");
  EXPECT_EQ(shown(kModel), "/models/a.gguf");
  EXPECT_FALSE(page_.files()->save(QStringLiteral("/proc/no/such/place.yaml")));
  EXPECT_TRUE(page_.banner()->text().contains("could not be saved")) << page_.banner()->text().toStdString();
}

TEST_F(NewRunEditingTest, AProblemDoesNotHideBehindMore) {
  drop(file(QStringLiteral("odd.yaml"), "model: m.gguf\ndataset: {train: d.jsonl}\ntraining: {adam_beta1: 0.8}\n"));
  FieldEditor* beta = page_.field(QStringLiteral("training.adam_beta1"));
  EXPECT_FALSE(beta->isVisible()) << "nothing is wrong with it";
  page_.form().setText(QStringLiteral("training.adam_beta1"), QStringLiteral("2"));
  EXPECT_TRUE(beta->isVisible());
  EXPECT_FALSE(beta->message().isEmpty());
}

}  // namespace
}  // namespace tidemark::ui
