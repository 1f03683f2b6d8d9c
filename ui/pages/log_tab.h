// What the run said, and the checkpoints it wrote.
#pragma once

#include <QWidget>

#include "ui/live/run_detail.h"

class QLabel;
class QPlainTextEdit;

namespace tidemark::ui {

class LogTab : public QWidget {
  Q_OBJECT
 public:
  explicit LogTab(QWidget* parent = nullptr);
  void show(const RunDetail& detail);

 private:
  QPlainTextEdit* text_;
  QLabel* checkpoints_;
  QLabel* folder_;
  QString shown_;
};

}  // namespace tidemark::ui
