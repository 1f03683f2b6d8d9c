// The buttons that act on the whole form: open and save a configuration, presets, undo and redo.
#pragma once

#include <QWidget>

#include "core/run/config.h"

class QToolButton;

namespace tidemark::ui {

class EditingBar : public QWidget {
  Q_OBJECT
 public:
  explicit EditingBar(QWidget* parent = nullptr);

  void setHistory(bool canUndo, bool canRedo);

 signals:
  void openWanted();
  void saveWanted();
  void presetWanted(const tidemark::run::RunConfig& preset);
  void undoWanted();
  void redoWanted();

 private:
  QToolButton* makeButton(const QString& name, const QString& text, const QString& toolTip);
  void fillPresets(QToolButton* button);

  QToolButton* undo_;
  QToolButton* redo_;
};

}  // namespace tidemark::ui
