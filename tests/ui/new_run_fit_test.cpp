// What fits, beside the form: answers at every edit, stale ones dropped, changes that are offered, and the rows of the data.
#include <QComboBox>
#include <QSignalSpy>

#include "tests/small_model.h"
#include "tests/ui/new_run_fixture.h"
#include "ui/data/token_view.h"
#include "ui/new_run/fit_bar.h"
#include "ui/new_run/fit_card.h"
#include "ui/new_run/row_preview_card.h"

namespace tidemark::ui {
namespace {

const QString kBudget = QStringLiteral("memory.budget");

class NewRunFitTest : public NewRunFixture {
 protected:
  void SetUp() override {
    NewRunFixture::SetUp();
    tests::makeSmallModel(folder_.filePath(QStringLiteral("model")).toStdString());
    QByteArray rows;
    for (int i = 0; i < 20; ++i) rows += QStringLiteral("{\"prompt\": \"What is number %1?\", \"completion\": \"A tide mark.\"}\n").arg(i).toUtf8();
    drop(file(QStringLiteral("rows.jsonl"), rows));
    drop(folder_.filePath(QStringLiteral("model")));
    ASSERT_TRUE(settle());
    ASSERT_TRUE(page_.form().isReady()) << blockers().toStdString();
  }
  const FitView& view() { return page_.fitCard()->view(); }
  QString problem() {
    auto* label = page_.findChild<QLabel*>(QStringLiteral("fitProblem"));
    return label->isVisible() ? label->text() : QString();
  }
};

TEST_F(NewRunFitTest, TellsThePeakByItsPartsAndNoSpeedWithoutMeasurements) {
  EXPECT_EQ(view().source, FitView::Source::Formulas);
  EXPECT_TRUE(view().fits);
  EXPECT_GT(view().staticBytes, 0);
  EXPECT_GT(view().activationBytes + view().workspaceBytes, 0);
  EXPECT_EQ(view().tokensPerSecond, 0);
  EXPECT_EQ(problem(), "");
  bool saysUnknown = false;
  for (QLabel* label : page_.fitCard()->findChildren<QLabel*>()) saysUnknown = saysUnknown || label->text().contains("unknown until profiled");
  EXPECT_TRUE(saysUnknown);
  EXPECT_TRUE(page_.fitCard()->bar()->accessibleDescription().contains("static cache"));
}

TEST_F(NewRunFitTest, FollowsEveryEdit) {
  const double before = view().peakBytes();
  type(QStringLiteral("peft.r"), QStringLiteral("64"));
  ASSERT_TRUE(settle());
  EXPECT_GT(view().trainableBytes, 0);
  EXPECT_GT(view().peakBytes(), before);
  type(QStringLiteral("peft.r"), QStringLiteral("2048"));
  type(kBudget, QStringLiteral("1MiB"));  // the least that a configuration takes
  ASSERT_TRUE(settle());
  EXPECT_FALSE(view().fits);
  EXPECT_TRUE(problem().contains("Does not fit")) << problem().toStdString();
  type(QStringLiteral("parallel.ranks"), QStringLiteral("3"));
  ASSERT_TRUE(settle());
  EXPECT_FALSE(problem().isEmpty()) << "16 sequences are not divisible by 3 ranks";
  EXPECT_FALSE(page_.fitCard()->bar()->isVisible());
}

TEST_F(NewRunFitTest, AnOfferedChangeGoesIntoTheForm) {
  type(QStringLiteral("peft.r"), QStringLiteral("2048"));  // so that the least is above the least budget of a configuration
  type(QStringLiteral("memory.budget"), QStringLiteral("1GiB"));
  ASSERT_TRUE(settle());
  const double least = view().leastBudgetBytes;
  ASSERT_GT(least, 2.0 * 1024 * 1024);
  type(kBudget, QString::number(static_cast<qint64>(0.6 * least)));
  ASSERT_TRUE(settle());
  ASSERT_FALSE(view().fits);
  ASSERT_FALSE(view().alternatives.empty());
  const FitAlternative change = view().alternatives.front();
  press(QStringLiteral("Change ") + changeText(change.key, change.value));
  EXPECT_EQ(shown(change.key), change.value);
  ASSERT_TRUE(settle());
  EXPECT_TRUE(view().fits) << problem().toStdString();
}

TEST_F(NewRunFitTest, ShowsTheRowsAsTokens) {
  RowPreviewCard* card = page_.rowCard();
  ASSERT_TRUE(QTest::qWaitFor([&] { return !card->tokenView()->tokens().empty(); }, 10'000));
  EXPECT_FALSE(page_.findChild<QToolButton*>(QStringLiteral("previousRow"))->isEnabled());
  const auto first = card->tokenView()->tokens();
  EXPECT_TRUE(std::any_of(first.begin(), first.end(), [](const ShownToken& t) { return t.hasLoss; }));
  EXPECT_FALSE(std::all_of(first.begin(), first.end(), [](const ShownToken& t) { return t.hasLoss; }));
  for (int row = 1; row < 20; ++row) {
    QTest::mouseClick(page_.findChild<QToolButton*>(QStringLiteral("nextRow")), Qt::LeftButton);
    ASSERT_TRUE(QTest::qWaitFor([&] { return card->index() == row; }, 10'000)) << row;
  }
  EXPECT_FALSE(page_.findChild<QToolButton*>(QStringLiteral("nextRow"))->isEnabled()) << "there are 20 rows";
}

// The profile is the command line's; here it is a script that prints what a real one does, or fails.
class NewRunProfileTest : public NewRunFitTest {};

TEST_F(NewRunProfileTest, WithoutTheCommandLineTheButtonSaysSo) {
  press(QStringLiteral("Profile on this machine"));
  ASSERT_TRUE(QTest::qWaitFor([&] { return page_.banner()->isVisible(); }, 10'000));
  EXPECT_TRUE(page_.banner()->text().contains("could not be started")) << page_.banner()->text().toStdString();
  EXPECT_NE(button(QStringLiteral("Profile on this machine")), nullptr);
}

}  // namespace
}  // namespace tidemark::ui
