// The window as a whole over a database that the test fills as the agent would.
#include <gtest/gtest.h>

#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QSlider>
#include <QTabBar>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>

#include "core/launch/agent.h"
#include "plots/memory_stack_plot.h"
#include "sample_run.h"
#include "ui/pages/run_page.h"
#include "ui/pages/runs_page.h"
#include "ui/shell/main_window.h"
#include "ui/shell/sidebar.h"
#include "ui/widgets/banner.h"

namespace tidemark::ui {
namespace {

constexpr int kWaitMs = 60'000;

class LivePageTest : public testing::Test {
 protected:
  void SetUp() override {
    auto opened = storage::RunStore::open(database());
    ASSERT_TRUE(opened.ok()) << opened.error().message();
    store_ = std::move(opened).value();
    id_ = tests::addSampleRun(*store_, "support-qa r8", folder_.path().toStdString(), shape_);
    // This very process plays the agent, so that the run is alive.
    ASSERT_TRUE(store_->setAgent(id_, getpid(), launch::processStartTicks(getpid())).ok());
    ASSERT_TRUE(store_->setStatus(id_, storage::RunStatus::Running).ok());
    line_ = static_cast<int64_t>(tests::sampleEvents(shape_, 1, shape_.steps).size());
    window_ = std::make_unique<MainWindow>(WindowSettings{database(), QStringLiteral("/nonexistent/tidemark-cli"), Appearance::Light});
    window_->show();
  }
  std::filesystem::path database() const { return folder_.filePath(QStringLiteral("tidemark.db")).toStdString(); }
  void append(const std::vector<run::Event>& events) {
    ASSERT_TRUE(store_->applyEvents(id_, line_, events).ok());
    line_ += static_cast<int64_t>(events.size());
  }
  void open() {
    window_->openRun(QString::fromStdString(id_));
    ASSERT_TRUE(QTest::qWaitFor([&] { return window_->runPage()->hasDetail(); }, kWaitMs));
  }
  bool waitForStep(int64_t step) {
    return QTest::qWaitFor([&] { return window_->runPage()->detail().record.step == step; }, kWaitMs);
  }

  QTemporaryDir folder_;
  tests::SampleShape shape_{.layers = 4, .steps = 20, .maxSteps = 40, .ranks = 2};
  std::unique_ptr<storage::RunStore> store_;
  std::string id_;
  int64_t line_ = 0;
  std::unique_ptr<MainWindow> window_;
};

TEST_F(LivePageTest, FollowsTheRunThatAnotherConnectionWrites) {
  open();
  auto* page = window_->runPage();
  auto* progress = page->findChild<QProgressBar*>();
  ASSERT_TRUE(waitForStep(20));
  EXPECT_EQ(progress->value(), 20);
  EXPECT_EQ(page->steps().size(), 20u);
  append(tests::sampleEvents(shape_, 21, 22));
  ASSERT_TRUE(waitForStep(22));
  EXPECT_EQ(progress->value(), 22);
  EXPECT_EQ(page->steps().size(), 22u);
  for (std::size_t i = 0; i < page->steps().size(); ++i) EXPECT_EQ(page->steps()[i].step, static_cast<int64_t>(i) + 1);
  EXPECT_EQ(page->findChild<QLabel*>(QStringLiteral("runName"))->text(), "support-qa r8");
}

TEST_F(LivePageTest, TheSliderGoesBackToAStoredIterationAndToLive) {
  open();
  auto* stack = window_->runPage()->findChild<plots::MemoryStackPlot*>();
  auto* slider = stack->parentWidget()->findChild<QSlider*>();
  ASSERT_NE(slider, nullptr);
  EXPECT_EQ(slider->value(), slider->maximum());
  EXPECT_EQ(stack->series().moments.size(), 20u);  // 2 * (2 * 4 layers + 2)
  const double live = stack->series().moments[3].dynamicCache;
  slider->setFocus();
  QTest::keyClick(slider, Qt::Key_Home);
  ASSERT_TRUE(QTest::qWaitFor([&] { return stack->series().moments[3].dynamicCache < live; }, kWaitMs));
  EXPECT_EQ(window_->runPage()->detail().timeline->iteration, 1);
  append(tests::sampleEvents(shape_, 21, 21));
  ASSERT_TRUE(waitForStep(21));
  EXPECT_EQ(window_->runPage()->detail().timeline->iteration, 1) << "stays where the user put it";
  QTest::keyClick(slider, Qt::Key_End);
  ASSERT_TRUE(QTest::qWaitFor([&] { return window_->runPage()->detail().wish.iteration == -1; }, kWaitMs));
  EXPECT_GT(window_->runPage()->detail().timeline->iteration, 1);
}

TEST_F(LivePageTest, OnlyARunThatGoesOnIsLive) {
  open();
  auto* shown = window_->runPage()->findChild<QLabel*>(QStringLiteral("iterationShown"));
  ASSERT_NE(shown, nullptr);
  EXPECT_TRUE(shown->text().endsWith("live")) << shown->text().toStdString();
  append({run::makeEvent(-1, run::FinishedEvent{id_, "completed", "", 0})});
  ASSERT_TRUE(QTest::qWaitFor([&] { return shown->text().endsWith("last"); }, kWaitMs)) << shown->text().toStdString();
}

TEST_F(LivePageTest, TellsAFailureInTheBanner) {
  open();
  append({run::makeEvent(1, run::FailureEvent{"out_of_memory", "rank 1 needs <b>20 MiB</b> more than the budget"}),
          run::makeEvent(-1, run::FinishedEvent{id_, "failed", "", 4})});
  ASSERT_TRUE(QTest::qWaitFor([&] { return window_->runPage()->banner()->text().contains("<b>20 MiB</b>"); }, kWaitMs));
  EXPECT_EQ(window_->runPage()->detail().record.status, storage::RunStatus::Failed);
}

TEST_F(LivePageTest, ARunWhoseAgentIsGoneIsLost) {
  open();
  ASSERT_TRUE(store_->setAgent(id_, getpid(), launch::processStartTicks(getpid()) + 1).ok());  // another process had this pid
  ASSERT_TRUE(QTest::qWaitFor([&] { return window_->runPage()->detail().record.status == storage::RunStatus::Lost; }, kWaitMs));
  EXPECT_TRUE(window_->runPage()->banner()->text().contains("gone"));
}

TEST_F(LivePageTest, TabsShowOperatorsAndARefusedResumeIsTold) {
  open();
  auto* tabs = window_->runPage()->findChild<QTabBar*>();
  tabs->setFocus();
  QTest::keyClick(tabs, Qt::Key_Right);
  EXPECT_EQ(tabs->currentIndex(), 1);
  auto* table = window_->runPage()->findChild<QTableView*>();
  ASSERT_TRUE(table->isVisible());
  EXPECT_EQ(table->model()->rowCount(), 10);
  ASSERT_TRUE(store_->setStatus(id_, storage::RunStatus::Stopped).ok());
  QPushButton* resume = nullptr;
  for (QPushButton* button : window_->runPage()->findChildren<QPushButton*>()) {
    if (button->accessibleName() == QLatin1String("Resume")) resume = button;
  }
  ASSERT_TRUE(QTest::qWaitFor([&] { return resume->isVisible(); }, kWaitMs));
  QTest::mouseClick(resume, Qt::LeftButton);
  EXPECT_TRUE(window_->runPage()->banner()->text().contains("tidemark-cli"));
}

TEST_F(LivePageTest, DoubleClickInTheTableOpensTheRun) {
  auto* table = window_->runsPage()->findChild<QTableView*>();
  ASSERT_TRUE(QTest::qWaitFor([&] { return table->model()->rowCount() == 1; }, kWaitMs));
  const QPoint centre = table->visualRect(table->model()->index(0, 0)).center();
  QTest::mouseClick(table->viewport(), Qt::LeftButton, {}, centre);
  QTest::mouseDClick(table->viewport(), Qt::LeftButton, {}, centre);
  EXPECT_EQ(window_->runPage()->runId().toStdString(), id_);
  EXPECT_TRUE(window_->runPage()->isVisible());
}

TEST_F(LivePageTest, ADeletedRunLeavesThePage) {
  open();
  ASSERT_TRUE(store_->setStatus(id_, storage::RunStatus::Completed).ok());
  ASSERT_TRUE(store_->deleteRun(id_).ok());
  EXPECT_TRUE(QTest::qWaitFor([&] { return window_->runsPage()->isVisible(); }, kWaitMs));
}

}  // namespace
}  // namespace tidemark::ui
