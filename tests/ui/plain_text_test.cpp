// Hostile run names end up on the screen as what they are: no label takes them for rich text.
#include <gtest/gtest.h>

#include <QLabel>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>

#include "hostile_names.h"
#include "sample_run.h"
#include "ui/pages/run_page.h"
#include "ui/pages/runs_page.h"
#include "ui/shell/main_window.h"
#include "ui/shell/sidebar.h"

namespace tidemark::ui {
namespace {

TEST(PlainText, EveryHostileNameIsShownAsItIs) {
  QTemporaryDir folder;
  const std::filesystem::path database = folder.filePath(QStringLiteral("tidemark.db")).toStdString();
  auto store = storage::RunStore::open(database);
  ASSERT_TRUE(store.ok()) << store.error().message();
  const auto& names = tests::hostileNames();
  std::vector<std::string> ids;
  for (const std::string& name : names) {
    storage::RunRecord record = tests::sampleRecord(name, folder.path().toStdString());
    record.status = storage::RunStatus::Completed;
    record.model = name;
    record.policy = name;
    const auto id = (*store)->createRun(record, {});
    ASSERT_TRUE(id.ok()) << id.error().message();
    ids.push_back(*id);
  }
  MainWindow window({database, QStringLiteral("/nonexistent"), Appearance::Light});
  window.show();
  auto* table = window.runsPage()->findChild<QTableView*>();
  ASSERT_TRUE(QTest::qWaitFor([&] { return table->model()->rowCount() == static_cast<int>(names.size()); }, 60'000));
  for (std::size_t i = 0; i < names.size(); ++i) {
    window.openRun(QString::fromStdString(ids[i]));
    ASSERT_TRUE(QTest::qWaitFor([&] { return window.runPage()->hasDetail(); }, 60'000)) << names[i];
    auto* label = window.runPage()->findChild<QLabel*>(QStringLiteral("runName"));
    EXPECT_EQ(label->accessibleName(), QString::fromStdString(names[i]).simplified());
    if (names[i].size() < 40 && !label->text().endsWith(QStringLiteral("…"))) {
      EXPECT_EQ(label->text(), QString::fromStdString(names[i]).simplified());
    }
    for (QLabel* shown : window.findChildren<QLabel*>()) {
      EXPECT_FALSE(shown->textFormat() != Qt::PlainText && !shown->text().isEmpty()) << shown->text().toStdString();
    }
    EXPECT_LE(window.width(), 1440) << "a long name must not widen the window: " << names[i].substr(0, 20);
  }
  for (SidebarItem* item : window.findChildren<SidebarItem*>()) EXPECT_TRUE(item->shortcut().isEmpty());
}

}  // namespace
}  // namespace tidemark::ui
