#include "ui/compare/card_tools.h"

#include <QComboBox>
#include <QCoreApplication>
#include <QToolButton>

namespace tidemark::ui {
namespace {

QString tr(const char* text) { return QCoreApplication::translate("tidemark::ui::CardTools", text); }

}  // namespace

QComboBox* makeChoice(const QString& name, const QStringList& choices, const QString& toolTip) {
  auto* combo = new QComboBox;
  combo->addItems(choices);
  combo->setAccessibleName(name);
  combo->setToolTip(toolTip);
  return combo;
}

QToolButton* makeSaveButton(const QString& name) {
  auto* button = new QToolButton;
  button->setText(tr("Save…"));
  button->setProperty("framed", true);
  button->setAccessibleName(name);
  button->setToolTip(tr("Save the plot as PNG or SVG"));
  return button;
}

}  // namespace tidemark::ui
