#include "ui/widgets/card.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>

namespace tidemark::ui {

QLabel* makeLabel(const QString& text, const char* role, QWidget* parent) {
  auto* label = new QLabel(parent);
  label->setTextFormat(Qt::PlainText);
  label->setText(text);
  label->setProperty("role", QString::fromLatin1(role));
  return label;
}

Card::Card(const QString& title, QWidget* parent)
    : QFrame(parent), title_(makeLabel(title, "strong")), caption_(makeLabel({}, "muted")), header_(new QHBoxLayout),
      body_(new QVBoxLayout) {
  setProperty("card", true);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(16, 12, 16, 14);
  layout->setSpacing(8);
  header_->setSpacing(16);
  header_->addWidget(title_);
  header_->addStretch(1);
  header_->addWidget(caption_);
  layout->addLayout(header_);
  body_->setSpacing(8);
  layout->addLayout(body_, 1);
  title_->setVisible(!title.isEmpty());
  caption_->hide();
  setAccessibleName(title);
}

void Card::setCaption(const QString& caption) {
  caption_->setText(caption);
  caption_->setVisible(!caption.isEmpty());
}

void Card::setTitle(const QString& title) {
  title_->setText(title);
  title_->setVisible(!title.isEmpty());
  setAccessibleName(title);
}

}  // namespace tidemark::ui
