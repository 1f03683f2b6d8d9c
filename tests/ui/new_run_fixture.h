// The New run page on the screen, with what a user does to it: click, type, press, drop.
#pragma once

#include <gtest/gtest.h>

#include <QApplication>
#include <QDropEvent>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QMimeData>
#include <QPushButton>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>

#include "ui/pages/new_run_page.h"
#include "ui/widgets/banner.h"
#include "ui/widgets/field_editor.h"

namespace tidemark::ui {

inline const QString kModel = QStringLiteral("model");
inline const QString kTrain = QStringLiteral("dataset.train");

class NewRunFixture : public testing::Test {
 protected:
  void SetUp() override {
    page_.resize(1229, 900);
    page_.show();
    ASSERT_TRUE(QTest::qWaitForWindowExposed(&page_));
  }
  void type(const QString& key, const QString& text) {
    auto* line = page_.findChild<QWidget*>(key);
    ASSERT_NE(line, nullptr) << key.toStdString();
    QTest::mouseClick(line, Qt::LeftButton);
    QTest::keyClick(line, Qt::Key_A, Qt::ControlModifier);
    QTest::keyClicks(line, text);
  }
  QAbstractButton* button(const QString& name) {
    for (QAbstractButton* found : page_.findChildren<QAbstractButton*>())
      if (found->accessibleName() == name) return found;
    return nullptr;
  }
  void press(const QString& name) {
    ASSERT_NE(button(name), nullptr) << name.toStdString();
    QTest::mouseClick(button(name), Qt::LeftButton);
  }
  QString shown(const QString& key) { return page_.field(key)->text(); }
  QPushButton* start() { return page_.findChild<QPushButton*>(QStringLiteral("start")); }
  QString blockers() { return page_.findChild<QLabel*>(QStringLiteral("blockers"))->text(); }
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
  // As the checker reports, without waiting for files that a test has not got.
  void approveFiles() {
    page_.form().setText(kModel, QStringLiteral("/models/a.gguf"));
    page_.form().setText(kTrain, QStringLiteral("/data/a.jsonl"));
    page_.form().setFileCheck(kModel, {FileCheck::State::Good, QStringLiteral("Llama · 30 layers")});
    page_.form().setFileCheck(kTrain, {FileCheck::State::Good, QStringLiteral("20 rows")});
  }
  bool settle() {
    return QTest::qWaitFor([this] { return page_.isSettled(); }, 20'000);
  }

  QTemporaryDir folder_;
  NewRunPage page_;
};

}  // namespace tidemark::ui
