#include "ui/pages/log_tab.h"

#include <QLabel>
#include <QPlainTextEdit>
#include <QScrollBar>
#include <QVBoxLayout>

#include "plots/quantity.h"
#include "ui/widgets/card.h"

namespace tidemark::ui {
namespace {

QString levelWord(const std::string& level) {
  if (level == "error") return LogTab::tr("ERROR  ");
  if (level == "warning") return LogTab::tr("WARNING");
  return LogTab::tr("info   ");
}

}  // namespace

LogTab::LogTab(QWidget* parent)
    : QWidget(parent), text_(new QPlainTextEdit), checkpoints_(makeLabel({}, "body")), folder_(makeLabel({}, "body")) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 2, 0, 0);
  layout->setSpacing(12);
  auto* card = new Card(tr("Log"));
  text_->setReadOnly(true);
  text_->setProperty("code", true);
  text_->setLineWrapMode(QPlainTextEdit::NoWrap);
  text_->setAccessibleName(tr("Log of the run"));
  text_->setTabChangesFocus(true);
  text_->setPlaceholderText(tr("The run has logged nothing so far. What each rank printed is in the run directory under log/."));
  card->body()->addWidget(text_, 1);
  layout->addWidget(card, 1);
  auto* files = new Card(tr("Files"));
  for (QLabel* label : {folder_, checkpoints_}) {
    label->setWordWrap(true);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    files->body()->addWidget(label);
  }
  layout->addWidget(files);
}

void LogTab::show(const RunDetail& detail) {
  QString all;
  for (const run::LogEvent& line : detail.log) {
    all += levelWord(line.level) + QStringLiteral("  ") + QString::fromStdString(line.text) + QLatin1Char('\n');
  }
  if (all != shown_) {
    QScrollBar* bar = text_->verticalScrollBar();
    const bool followsEnd = bar->value() >= bar->maximum() - 2;
    const int place = bar->value();
    text_->setPlainText(all);
    bar->setValue(followsEnd ? bar->maximum() : place);
    shown_ = all;
  }
  folder_->setText(tr("Run directory: %1").arg(QString::fromStdString(detail.record.directory)));
  QStringList steps;
  for (const run::CheckpointEvent& checkpoint : detail.checkpoints) steps << plots::countText(static_cast<double>(checkpoint.step));
  QString text = steps.isEmpty() ? tr("No checkpoint yet.") : tr("Checkpoints after steps %1.").arg(steps.join(QStringLiteral(", ")));
  if (!detail.record.adapter.empty()) text += tr(" Adapter: %1").arg(QString::fromStdString(detail.record.adapter));
  checkpoints_->setText(text);
}

}  // namespace tidemark::ui
