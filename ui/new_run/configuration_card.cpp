#include "ui/new_run/configuration_card.h"

#include <QApplication>
#include <QClipboard>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QToolButton>

namespace tidemark::ui {
namespace {

constexpr int kYamlLines = 6;

QToolButton* makeCopyButton(const QString& text, const QString& toolTip) {
  auto* button = new QToolButton;
  button->setText(text);
  button->setToolTip(toolTip);
  button->setAccessibleName(toolTip);
  return button;
}

}  // namespace

ConfigurationCard::ConfigurationCard(QWidget* parent) : Card(tr("Same as"), parent), command_(new QLineEdit), yaml_(new QPlainTextEdit) {
  QToolButton* copyCommand = makeCopyButton(tr("Copy command"), tr("Copy the command line"));
  QToolButton* copyYaml = makeCopyButton(tr("Copy YAML"), tr("Copy the configuration"));
  header()->addWidget(copyCommand);
  header()->addWidget(copyYaml);
  command_->setReadOnly(true);
  command_->setProperty("code", true);
  command_->setObjectName(QStringLiteral("command"));
  command_->setAccessibleName(tr("Equivalent command line"));
  command_->setToolTip(tr("Starts this run from a terminal, once the YAML below is saved in that file"));
  yaml_->setReadOnly(true);
  yaml_->setProperty("code", true);
  yaml_->setAccessibleName(tr("Configuration as YAML"));
  yaml_->setToolTip(tr("Every key of this run"));
  yaml_->setLineWrapMode(QPlainTextEdit::NoWrap);
  yaml_->setTabChangesFocus(true);
  yaml_->setFixedHeight(kYamlLines * 17 + 14);
  body()->addWidget(command_);
  body()->addWidget(yaml_);
  connect(copyCommand, &QToolButton::clicked, this, [this] { QApplication::clipboard()->setText(command_->text()); });
  connect(copyYaml, &QToolButton::clicked, this, [this] { QApplication::clipboard()->setText(yaml_->toPlainText()); });
}

void ConfigurationCard::show(const QString& command, const QString& yaml) {
  if (command != command_->text()) {
    command_->setText(command);
    command_->setCursorPosition(0);
  }
  if (yaml != yaml_->toPlainText()) yaml_->setPlainText(yaml);
}

}  // namespace tidemark::ui
