#include "ui/new_run/editing_bar.h"

#include <QHBoxLayout>
#include <QMenu>
#include <QToolButton>

#include "ui/models/presets.h"

namespace tidemark::ui {

EditingBar::EditingBar(QWidget* parent) : QWidget(parent) {
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(8);
  QToolButton* open = makeButton(QStringLiteral("open"), tr("Open…"), tr("Fill the form from a configuration file (Ctrl+O); one can be dropped on the page as well"));
  QToolButton* save = makeButton(QStringLiteral("save"), tr("Save…"), tr("Save the form as a configuration file (Ctrl+S)"));
  QToolButton* preset = makeButton(QStringLiteral("preset"), tr("Preset…"), tr("Settings to begin with; model and data stay"));
  preset->setAccessibleName(tr("Preset"));
  fillPresets(preset);
  undo_ = makeButton(QStringLiteral("undo"), tr("Undo"), tr("Take the last change of the form back (Ctrl+Z)"));
  redo_ = makeButton(QStringLiteral("redo"), tr("Redo"), tr("Make the change again (Ctrl+Shift+Z)"));
  for (QToolButton* button : {open, save, preset, undo_, redo_}) layout->addWidget(button);
  connect(open, &QToolButton::clicked, this, &EditingBar::openWanted);
  connect(save, &QToolButton::clicked, this, &EditingBar::saveWanted);
  connect(undo_, &QToolButton::clicked, this, &EditingBar::undoWanted);
  connect(redo_, &QToolButton::clicked, this, &EditingBar::redoWanted);
}

QToolButton* EditingBar::makeButton(const QString& name, const QString& text, const QString& toolTip) {
  auto* button = new QToolButton;
  button->setObjectName(name);
  button->setText(text);
  button->setAccessibleName(QString(text).remove(QChar(0x2026)));
  button->setToolTip(toolTip);
  button->setProperty("framed", true);
  return button;
}

void EditingBar::fillPresets(QToolButton* button) {
  button->setPopupMode(QToolButton::InstantPopup);
  auto* menu = new QMenu(button);
  menu->setToolTipsVisible(true);
  for (const Preset& entry : presets()) {
    QAction* action = menu->addAction(entry.name);
    action->setToolTip(entry.help);
    connect(action, &QAction::triggered, this, [this, config = entry.config] { emit presetWanted(config); });
  }
  button->setMenu(menu);
}

void EditingBar::setHistory(bool canUndo, bool canRedo) {
  undo_->setEnabled(canUndo);
  redo_->setEnabled(canRedo);
}

}  // namespace tidemark::ui
