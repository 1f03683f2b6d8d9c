// The page as it is used: keys and clicks, and what it hands on.
#include "ui/sweep/sweeps_page.h"

#include <gtest/gtest.h>

#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTableView>
#include <QTest>
#include <QToolButton>

#include "ui/sweep/sweep_form_card.h"
#include "ui/sweep/sweep_results_card.h"

namespace tidemark::ui {
namespace {

class SweepsPageTest : public testing::Test {
 protected:
  void SetUp() override {
    run::RunConfig base;
    base.model = "/models/m.gguf";
    base.dataset.train = "/data/d.jsonl";
    base.dataset.eval = "0.1";
    page_.setBase(base);
    page_.resize(1229, 900);
    page_.show();
    ASSERT_TRUE(QTest::qWaitForWindowExposed(&page_));
  }
  template <typename Widget>
  Widget* child(const char* name, int index = 0) {
    const auto found = page_.findChildren<Widget*>(QString::fromLatin1(name));
    EXPECT_GT(found.size(), index) << name;
    return found.value(index);
  }
  void type(QLineEdit* line, const QString& text) {
    QTest::mouseClick(line, Qt::LeftButton);
    QTest::keyClick(line, Qt::Key_A, Qt::ControlModifier);
    QTest::keyClicks(line, text);
  }
  void click(const char* name) { QTest::mouseClick(child<QAbstractButton>(name), Qt::LeftButton); }
  QString summary() { return child<QLabel>("sweepSummary")->text(); }
  static storage::SweepRecord sweepNamed(const std::string& id, storage::SweepStatus status) {
    storage::SweepRecord sweep;
    sweep.id = id;
    sweep.name = "ranks " + id;
    sweep.status = status;
    sweep.objective = "loss";
    sweep.createdAt = 1'700'000'000;
    return sweep;
  }
  static std::vector<storage::SweepPoint> points() {
    std::vector<storage::SweepPoint> points(3);
    for (int i = 0; i < 3; ++i) {
      points[i].number = i;
      points[i].values = {{"peft.r", std::to_string(4 << i)}};
    }
    points[0].state = storage::PointState::Completed;
    points[0].run = "A";
    points[0].objective = 1.25;
    points[1].state = storage::PointState::StoppedEarly;
    points[1].run = "B";
    points[1].reason = "it is worse";
    return points;
  }

  SweepsPage page_;
};

TEST_F(SweepsPageTest, ASweepIsTypedAndStarted) {
  QPushButton* start = child<QPushButton>("startSweep");
  EXPECT_FALSE(start->isEnabled());
  type(child<QLineEdit>("sweptValues"), "1e-4, 2e-4");
  EXPECT_TRUE(start->isEnabled()) << summary().toStdString();
  EXPECT_TRUE(summary().contains("2 run")) << summary().toStdString();
  click("addKey");
  type(child<QLineEdit>("sweptValues", 1), "4, 8, 16");
  EXPECT_TRUE(summary().contains("6 run")) << summary().toStdString();
  QSpinBox* seeds = child<QSpinBox>("sweepSeeds");
  seeds->setFocus();
  QTest::keyClick(seeds, Qt::Key_Up);
  EXPECT_TRUE(summary().contains("12 run")) << summary().toStdString();
  type(child<QLineEdit>("sweepName"), "my sweep");
  QSignalSpy started(&page_, &SweepsPage::startWanted);
  QTest::mouseClick(start, Qt::LeftButton);
  ASSERT_EQ(started.count(), 1);
  const auto sweep = started[0][0].value<sweep::Sweep>();
  EXPECT_EQ(sweep.name, "my sweep");
  ASSERT_EQ(sweep.keys.size(), 2u);
  EXPECT_EQ(sweep.keys[1].key, "peft.r");
  EXPECT_EQ(sweep.keys[1].choices, (std::vector<std::string>{"4", "8", "16"}));
  EXPECT_EQ(sweep.seeds, 2);
  EXPECT_EQ(sweep.base.model, "/models/m.gguf");
  page_.setStarting(true);
  EXPECT_FALSE(start->isEnabled());
}

TEST_F(SweepsPageTest, AWrongValueIsToldAndALineCanBeRemoved) {
  click("addKey");
  type(child<QLineEdit>("sweptValues"), "1e-4");
  type(child<QLineEdit>("sweptValues", 1), "many");
  EXPECT_FALSE(child<QPushButton>("startSweep")->isEnabled());
  EXPECT_TRUE(summary().contains("whole number")) << summary().toStdString();
  QTest::mouseClick(child<QToolButton>("removeKey", 1), Qt::LeftButton);
  EXPECT_TRUE(QTest::qWaitFor([&] { return child<QPushButton>("startSweep")->isEnabled(); }));
}

TEST_F(SweepsPageTest, ADistributionMakesTheSweepRandom) {
  QComboBox* kind = child<QComboBox>("sweptKind");
  kind->setFocus();
  QTest::keyClick(kind, Qt::Key_Down);
  QTest::keyClick(kind, Qt::Key_Down);
  type(child<QLineEdit>("sweptValues"), "1e-5, 1e-3");
  EXPECT_EQ(child<QComboBox>("sweepMode")->currentIndex(), 1);
  EXPECT_TRUE(child<QSpinBox>("sweepCount")->isEnabled());
  EXPECT_TRUE(summary().contains("10 run")) << summary().toStdString();
}

TEST_F(SweepsPageTest, EarlyStoppingIsChosenWithItsFirstStep) {
  type(child<QLineEdit>("sweptValues"), "1e-4, 2e-4");
  QComboBox* objective = child<QComboBox>("sweepObjective");
  objective->setFocus();
  QTest::keyClick(objective, Qt::Key_Down);
  QComboBox* rule = child<QComboBox>("sweepRule");
  rule->setFocus();
  QTest::keyClick(rule, Qt::Key_Down);
  QSpinBox* after = child<QSpinBox>("sweepAfter");
  EXPECT_TRUE(after->isEnabled());
  EXPECT_EQ(after->value(), 25) << "a quarter of the 100 steps";
  EXPECT_EQ(page_.form()->form().sweep().stopping.rule, sweep::EarlyStopping::Rule::Median);
  EXPECT_TRUE(child<QPushButton>("startSweep")->isEnabled()) << summary().toStdString();
}

TEST_F(SweepsPageTest, TheSweepsOfTheDatabaseAreShownWithStateAndReason) {
  SweepResultsCard* results = page_.results();
  QSignalSpy wished(results, &SweepResultsCard::wished);
  results->setSweeps({sweepNamed("2", storage::SweepStatus::Running), sweepNamed("1", storage::SweepStatus::Stopped)});
  ASSERT_EQ(wished.count(), 1);
  EXPECT_EQ(wished[0][0].toString(), "2");
  results->setPoints("1", points());
  auto* table = page_.findChild<QTableView*>();
  EXPECT_EQ(table->model()->rowCount(), 0) << "points of another sweep";
  results->setPoints("2", points());
  ASSERT_EQ(table->model()->rowCount(), 3);
  EXPECT_TRUE(child<QLabel>("sweepProgress")->text().contains("2 of 3 runs done")) << child<QLabel>("sweepProgress")->text().toStdString();
  EXPECT_TRUE(child<QLabel>("sweepProgress")->text().contains("best: run 1"));
  QTest::mouseClick(table->viewport(), Qt::LeftButton, {}, table->visualRect(table->model()->index(1, 1)).center());
  EXPECT_TRUE(child<QLabel>("sweepReason")->text().contains("it is worse"));
}

TEST_F(SweepsPageTest, ItsButtonsOpenCompareStopAndResume) {
  SweepResultsCard* results = page_.results();
  results->setSweeps({sweepNamed("2", storage::SweepStatus::Running), sweepNamed("1", storage::SweepStatus::Stopped)});
  results->setPoints("2", points());
  QSignalSpy opened(results, &SweepResultsCard::openWanted), compared(results, &SweepResultsCard::compareWanted);
  QSignalSpy stopped(results, &SweepResultsCard::stopWanted), resumed(results, &SweepResultsCard::resumeWanted);
  EXPECT_FALSE(child<QPushButton>("openRun")->isEnabled()) << "nothing is selected";
  auto* table = page_.findChild<QTableView*>();
  QTest::mouseClick(table->viewport(), Qt::LeftButton, {}, table->visualRect(table->model()->index(1, 0)).center());
  click("openRun");
  ASSERT_EQ(opened.count(), 1);
  EXPECT_EQ(opened[0][0].toString(), "B");
  click("compareSweep");
  ASSERT_EQ(compared.count(), 1);
  EXPECT_EQ(compared[0][0].toStringList(), QStringList({"A", "B"}));
  EXPECT_FALSE(child<QPushButton>("resumeSweep")->isEnabled());
  click("stopSweep");
  ASSERT_EQ(stopped.count(), 1);
  EXPECT_EQ(stopped[0][0].value<storage::SweepRecord>().id, "2");

  QComboBox* choice = child<QComboBox>("sweepChoice");
  choice->setFocus();
  QTest::keyClick(choice, Qt::Key_Down);
  EXPECT_EQ(results->sweepId(), "1");
  EXPECT_EQ(table->model()->rowCount(), 0) << "its points are not read yet";
  results->setPoints("1", points());
  EXPECT_FALSE(child<QPushButton>("stopSweep")->isEnabled());
  click("resumeSweep");
  ASSERT_EQ(resumed.count(), 1);
  EXPECT_EQ(resumed[0][0].value<storage::SweepRecord>().id, "1");
}

TEST_F(SweepsPageTest, EveryControlHasANameAndATooltip) {
  for (QWidget* widget : page_.findChildren<QWidget*>()) {
    const bool isControl = qobject_cast<QAbstractButton*>(widget) || qobject_cast<QComboBox*>(widget) || qobject_cast<QAbstractSpinBox*>(widget) ||
                           (qobject_cast<QLineEdit*>(widget) && !qobject_cast<QAbstractSpinBox*>(widget->parentWidget()) &&
                            !qobject_cast<QComboBox*>(widget->parentWidget()));
    if (!isControl || widget->objectName().startsWith(QLatin1String("qt_")) || !widget->isVisible()) continue;
    if (qobject_cast<QTableView*>(widget->parentWidget())) continue;  // the view's own corner button
    const auto* button = qobject_cast<QAbstractButton*>(widget);
    EXPECT_FALSE(widget->accessibleName().isEmpty() && (!button || button->text().isEmpty())) << widget->objectName().toStdString();
    EXPECT_FALSE(widget->toolTip().isEmpty()) << widget->objectName().toStdString() << " " << widget->metaObject()->className();
  }
}

}  // namespace
}  // namespace tidemark::ui
