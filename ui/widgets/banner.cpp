#include "ui/widgets/banner.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QStyle>
#include <QToolButton>

#include "ui/widgets/card.h"

namespace tidemark::ui {

Banner::Banner(QWidget* parent) : QFrame(parent), symbol_(makeLabel({}, "strong")), text_(makeLabel({}, "body")) {
  setObjectName(QStringLiteral("banner"));
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(14, 8, 8, 8);
  layout->setSpacing(10);
  text_->setWordWrap(true);
  text_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
  auto* close = new QToolButton;
  close->setText(QStringLiteral("✕"));
  close->setAutoRaise(true);
  close->setAccessibleName(tr("Put the message away"));
  close->setToolTip(tr("Put the message away"));
  connect(close, &QToolButton::clicked, this, &Banner::clear);
  layout->addWidget(symbol_, 0, Qt::AlignTop);
  layout->addWidget(text_, 1);
  layout->addWidget(close, 0, Qt::AlignTop);
  hide();
}

void Banner::showMessage(Severity severity, const QString& text) {
  static constexpr const char* kNames[]{"note", "warning", "error"};
  const QString words[]{tr("Note"), tr("Warning"), tr("Error")};
  const int index = static_cast<int>(severity);
  setProperty("severity", QString::fromLatin1(kNames[index]));
  style()->unpolish(this);
  style()->polish(this);
  symbol_->setText(words[index]);
  text_->setText(text);
  setAccessibleName(words[index]);
  setAccessibleDescription(text);
  show();
}

void Banner::clear() {
  text_->clear();
  hide();
}

QString Banner::text() const { return text_->text(); }

}  // namespace tidemark::ui
