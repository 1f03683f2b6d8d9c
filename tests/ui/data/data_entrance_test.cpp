// How one comes to the Data page: from the sidebar, and from the form of a new run.
#include <gtest/gtest.h>

#include <QLineEdit>
#include <QTest>
#include <QToolButton>

#include "data_file.h"
#include "ui/data/data_fields.h"
#include "ui/data/data_page.h"
#include "ui/data/data_rows_model.h"
#include "ui/data/rows_card.h"
#include "ui/pages/new_run_page.h"
#include "ui/shell/main_window.h"
#include "ui/shell/sidebar.h"

namespace tidemark::ui {
namespace {

class DataEntranceTest : public testing::Test {
 protected:
  DataEntranceTest()
      : window_({folder_.filePath(QStringLiteral("tidemark.db")).toStdString(), QStringLiteral("/nonexistent"), Appearance::Light}) {
    window_.show();
  }
  SidebarItem* item(const QString& name) {
    for (SidebarItem* item : window_.findChildren<SidebarItem*>())
      if (item->name() == name) return item;
    return nullptr;
  }

  QTemporaryDir folder_;
  MainWindow window_;
};

TEST_F(DataEntranceTest, TheSidebarOpensThePage) {
  ASSERT_NE(item(QStringLiteral("Data")), nullptr);
  QTest::mouseClick(item(QStringLiteral("Data")), Qt::LeftButton);
  EXPECT_TRUE(window_.dataPage()->isVisible());
  EXPECT_TRUE(item(QStringLiteral("Data"))->isChecked());
  EXPECT_FALSE(item(QStringLiteral("New run"))->isChecked());
  EXPECT_TRUE(window_.windowTitle().contains("Data"));
}

TEST_F(DataEntranceTest, TheFormOpensItWithItsModelDatasetAndLimit) {
  const tests::DataFile file(tests::chatRow("a", "b") + tests::chatRow("c", "d e f g h i j k l m n o p q r s t u v w x y z"));
  window_.showNewRun();
  run::RunConfig config = file.config(20);
  config.dataset.truncation = "truncate";
  window_.newRunPage()->load(config, {});
  QTest::mouseClick(window_.newRunPage()->findChild<QToolButton*>(QStringLiteral("lookAtData")), Qt::LeftButton);
  DataPage* page = window_.dataPage();
  EXPECT_TRUE(page->isVisible());
  EXPECT_EQ(page->fields()->config().model, config.model);
  EXPECT_EQ(page->fields()->limit(), (RowLimit{20, text::Truncation::Truncate}));
  ASSERT_TRUE(QTest::qWaitFor([&] { return page->isSettled(); }, 60'000));
  ASSERT_EQ(page->rows()->model()->rowCount(), 2);
  EXPECT_EQ(page->summary().count(DataProblem::TooLong), 1);
  EXPECT_EQ(page->findChild<QLineEdit*>(QStringLiteral("dataset.train"))->text().toStdString(), file.path());
}

}  // namespace
}  // namespace tidemark::ui
