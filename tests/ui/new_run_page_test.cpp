#include <QComboBox>
#include <QPlainTextEdit>
#include <QSignalSpy>

#include "tests/ui/new_run_fixture.h"

namespace tidemark::ui {
namespace {

using NewRunPageTest = NewRunFixture;

TEST_F(NewRunPageTest, HasAFieldForEveryKeyWithNameAndTooltip) {
  for (const run::KeyInfo& info : run::configKeys()) {
    FieldEditor* editor = page_.field(QString::fromStdString(info.key));
    ASSERT_NE(editor, nullptr) << info.key;
    QWidget* control = editor->editor()->focusProxy() ? editor->editor()->focusProxy() : editor->editor();
    EXPECT_FALSE(control->accessibleName().isEmpty()) << info.key;
    EXPECT_TRUE(editor->editor()->toolTip().contains(QString::fromStdString(info.key))) << info.key;
    EXPECT_EQ(editor->text(), page_.form().text(editor->key())) << info.key;
  }
}

TEST_F(NewRunPageTest, CannotStartBeforeModelAndDataAreRight) {
  EXPECT_FALSE(start()->isEnabled());
  EXPECT_TRUE(blockers().contains("Model"));
  EXPECT_TRUE(blockers().contains("Training data"));
  EXPECT_TRUE(page_.field(kModel)->message().isEmpty()) << "an untouched field shows no error";
  approveFiles();
  EXPECT_TRUE(start()->isEnabled()) << blockers().toStdString();
}

TEST_F(NewRunPageTest, AWrongValueIsToldBesideItsFieldAndStopsTheStart) {
  approveFiles();
  type(QStringLiteral("training.learning_rate"), QStringLiteral("-1"));
  EXPECT_FALSE(page_.field(QStringLiteral("training.learning_rate"))->message().isEmpty());
  EXPECT_FALSE(start()->isEnabled());
  EXPECT_TRUE(blockers().contains("Learning rate"));
  type(QStringLiteral("training.learning_rate"), QStringLiteral("3e-4"));
  EXPECT_TRUE(page_.field(QStringLiteral("training.learning_rate"))->message().isEmpty());
  EXPECT_TRUE(start()->isEnabled()) << blockers().toStdString();
  EXPECT_DOUBLE_EQ(page_.form().config().training.learningRate, 3e-4);
}

TEST_F(NewRunPageTest, CombinationsAreCheckedToo) {
  approveFiles();
  type(QStringLiteral("parallel.ranks"), QStringLiteral("3"));
  EXPECT_TRUE(page_.field(QStringLiteral("training.global_batch_size"))->message().isEmpty()) << "not touched yet";
  EXPECT_TRUE(blockers().contains("Global batch")) << blockers().toStdString();
  type(QStringLiteral("training.global_batch_size"), QStringLiteral("18"));
  EXPECT_TRUE(start()->isEnabled()) << blockers().toStdString();
}

TEST_F(NewRunPageTest, LettersInAnIntegerFieldAreRefusedInWords) {
  type(QStringLiteral("training.max_steps"), QStringLiteral("many"));
  EXPECT_TRUE(page_.field(QStringLiteral("training.max_steps"))->message().contains("whole number"));
}

TEST_F(NewRunPageTest, StartHandsOverWhatTheYamlSays) {
  approveFiles();
  type(QStringLiteral("training.max_steps"), QStringLiteral("7"));
  auto* policy = page_.findChild<QComboBox*>(QStringLiteral("memory.policy"));
  ASSERT_NE(policy, nullptr);
  policy->setFocus();
  QTest::keyClick(policy, Qt::Key_Down);
  QSignalSpy started(&page_, &NewRunPage::startWanted);
  QTest::mouseClick(start(), Qt::LeftButton);
  ASSERT_EQ(started.count(), 1);
  const auto config = started[0][0].value<run::RunConfig>();
  EXPECT_EQ(config.training.maxSteps, 7);
  EXPECT_EQ(config.memory.policy, "pinned");
  EXPECT_EQ(started[0][1].toString(), "a r8");
  const auto parsed = run::parseConfig(page_.findChild<QPlainTextEdit*>()->toPlainText().toStdString());
  EXPECT_TRUE(parsed.problems.empty());
  EXPECT_EQ(run::flatten(parsed.config), run::flatten(config));
}

TEST_F(NewRunPageTest, AMissingFileIsToldBesideTheField) {
  QTemporaryDir folder;
  type(kModel, folder.filePath(QStringLiteral("none.gguf")));
  EXPECT_TRUE(QTest::qWaitFor([&] { return page_.form().fileCheck(kModel).state == FileCheck::State::Bad; }, 10'000));
  EXPECT_TRUE(page_.field(kModel)->message().contains("none.gguf")) << page_.field(kModel)->message().toStdString();
  EXPECT_FALSE(start()->isEnabled());
}

TEST_F(NewRunPageTest, GarbageIsNotAModel) {
  QTemporaryDir folder;
  const QString path = folder.filePath(QStringLiteral("garbage.gguf"));
  QFile file(path);
  ASSERT_TRUE(file.open(QIODevice::WriteOnly));
  file.write("not a model at all");
  file.close();
  type(kModel, path);
  EXPECT_TRUE(QTest::qWaitFor([&] { return page_.form().fileCheck(kModel).state == FileCheck::State::Bad; }, 10'000));
}

TEST_F(NewRunPageTest, MoreShowsTheAdvancedFields) {
  FieldEditor* beta = page_.field(QStringLiteral("training.adam_beta1"));
  EXPECT_FALSE(beta->isVisible());
  for (QAbstractButton* button : page_.findChildren<QAbstractButton*>()) {
    if (button->accessibleName() == QLatin1String("More settings: Training")) QTest::mouseClick(button, Qt::LeftButton);
  }
  EXPECT_TRUE(beta->isVisible());
}

TEST(RunForm, LoadTakesEveryKeyButTheFolder) {
  run::RunConfig config;
  config.model = "/m.gguf";
  config.dataset.train = "/d.jsonl";
  config.peft.r = 32;
  config.output.dir = "/old/run";
  RunForm form;
  form.load(config);
  EXPECT_EQ(form.text(QStringLiteral("peft.r")), "32");
  EXPECT_EQ(form.config().output.dir, "auto");
  EXPECT_EQ(form.suggestedName(), "m r32");
  EXPECT_FALSE(form.isReady()) << "the files are not checked yet";
}

TEST(RunForm, QuotesTheCommandForAShell) {
  EXPECT_EQ(shellQuoted("plain-name.yaml"), "plain-name.yaml");
  EXPECT_EQ(shellQuoted("a b"), "'a b'");
  EXPECT_EQ(shellQuoted("it's $(x)"), "'it'\\''s $(x)'");
}

}  // namespace
}  // namespace tidemark::ui
