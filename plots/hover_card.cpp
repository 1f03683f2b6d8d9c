#include "plots/hover_card.h"

#include <QGridLayout>
#include <QLabel>
#include <QPalette>

#include "plots/plot_theme.h"

namespace tidemark::plots {
namespace {

constexpr int kGapPx = 12;

QLabel* makeLabel(QWidget* parent, Qt::Alignment alignment) {
  auto* label = new QLabel(parent);
  label->setTextFormat(Qt::PlainText);
  label->setAlignment(alignment);
  return label;
}

}  // namespace

HoverCard::HoverCard(QWidget* parent) : QFrame(parent), grid_(new QGridLayout(this)) {
  setObjectName(QStringLiteral("hoverCard"));
  setAttribute(Qt::WA_TransparentForMouseEvents);
  grid_->setContentsMargins(10, 7, 10, 7);
  grid_->setVerticalSpacing(3);
  grid_->setHorizontalSpacing(16);
  setTheme(PlotTheme::light());
  hide();
}

void HoverCard::setTheme(const PlotTheme& theme) {
  setStyleSheet(QStringLiteral("#hoverCard{background:%1;border:1px solid %2;border-radius:6px}"
                               "#hoverCard QLabel{background:transparent;border:none;color:%3;font-size:12px}"
                               "#hoverCard QLabel[muted=\"true\"]{color:%4}")
                    .arg(theme.card.name(), theme.cardBorder.name(), theme.text.name(), theme.muted.name()));
}

void HoverCard::showRows(const Rows& rows, const QPoint& anchor) {
  while (labels_.size() < rows.size()) {
    const int row = static_cast<int>(labels_.size());
    QLabel* name = makeLabel(this, Qt::AlignLeft | Qt::AlignVCenter);
    name->setProperty("muted", true);
    QLabel* value = makeLabel(this, Qt::AlignRight | Qt::AlignVCenter);
    QFont bold = value->font();
    bold.setWeight(QFont::DemiBold);
    value->setFont(bold);
    grid_->addWidget(name, row, 0);
    grid_->addWidget(value, row, 1);
    labels_.emplaceBack(name, value);
  }
  for (qsizetype i = 0; i < labels_.size(); ++i) {
    const bool isUsed = i < rows.size();
    labels_[i].first->setVisible(isUsed);
    labels_[i].second->setVisible(isUsed);
    labels_[i].first->setText(isUsed ? rows[i].first : QString());
    labels_[i].second->setText(isUsed ? rows[i].second : QString());
  }
  ensurePolished();
  grid_->activate();
  const QSize size = sizeHint();
  const QSize room = parentWidget()->size();
  int x = anchor.x() + kGapPx;
  if (x + size.width() > room.width()) x = anchor.x() - kGapPx - size.width();
  const int y = qBound(0, anchor.y(), qMax(0, room.height() - size.height()));
  setGeometry(QRect(QPoint(qMax(0, x), y), size));
  show();
  raise();
}

QString HoverCard::plainText() const {
  QStringList lines;
  for (const auto& [name, value] : labels_) {
    if (!name->text().isEmpty() || !value->text().isEmpty()) lines << name->text() + QStringLiteral(": ") + value->text();
  }
  return lines.join(QLatin1Char('\n'));
}

}  // namespace tidemark::plots
