#include "ui/data/token_view.h"

#include <QKeyEvent>
#include <QLocale>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>
#include <algorithm>

#include "plots/hover_card.h"
#include "plots/plot_theme.h"
#include "ui/data/token_chip.h"

namespace tidemark::ui {
namespace {

constexpr int kScrollBarRoom = 14;

}  // namespace
TokenView::TokenView(QWidget* parent) : QAbstractScrollArea(parent), card_(new plots::HoverCard(this)) {
  setFrameShape(QFrame::NoFrame);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setFocusPolicy(Qt::StrongFocus);
  setAccessibleName(tr("Tokens of the row"));
  viewport()->setFont(tokenFont());
  viewport()->setAutoFillBackground(false);
  viewport()->setMouseTracking(true);
  viewport()->setLayoutDirection(Qt::LeftToRight);
}

void TokenView::setTokens(const std::vector<ShownToken>& tokens) {
  tokens_ = tokens;
  widths_.clear();
  setCurrent(-1);
  placeTokens();
  verticalScrollBar()->setValue(0);
}

void TokenView::setLimit(const RowLimit& limit) {
  if (limit == limit_) return;
  limit_ = limit;
  placeTokens();
}

void TokenView::setTheme(const plots::PlotTheme& theme) {
  card_->setTheme(theme);
  viewport()->update();
}

void TokenView::placeTokens() {
  const QFontMetrics metrics(viewport()->font());
  // Room for the scroll bar is left even where there is none, so that the lines do not depend on their number.
  const int pageWidth = width() - kScrollBarRoom;
  layout_.place(tokens_, limit_.maxSequenceLength, pageWidth, [&](const QString& text) {
    auto found = widths_.constFind(text);
    if (found == widths_.constEnd()) found = widths_.insert(text, metrics.horizontalAdvance(text));
    return *found;
  });
  const int room = viewport()->height();
  verticalScrollBar()->setRange(0, std::max(0, layout_.height() - room));
  verticalScrollBar()->setPageStep(room);
  verticalScrollBar()->setSingleStep(TokenLayout::kLineHeight);
  viewport()->update();
}

int TokenView::scrolled() const { return verticalScrollBar()->value(); }

void TokenView::paintEvent(QPaintEvent* event) {
  QPainter painter(viewport());
  painter.setRenderHint(QPainter::Antialiasing);
  painter.translate(0, -scrolled());
  const int bottom = event->rect().bottom() + scrolled();
  const auto& chips = layout_.chips();
  for (int i = layout_.firstBelow(event->rect().top() + scrolled()); i < static_cast<int>(chips.size()); ++i) {
    const QRect& chip = chips[static_cast<std::size_t>(i)];
    if (chip.top() > bottom) break;
    paintChip(painter, tokens_[static_cast<std::size_t>(i)], chip, {isBeyond(i), i == current_}, palette());
  }
  if (layout_.ruleTop() >= 0) paintCut(painter, layout_.ruleTop());
}

QString TokenView::cutText() const {
  const QString limit = QLocale().toString(limit_.maxSequenceLength);
  switch (limit_.truncation) {
    case text::Truncation::Truncate: return tr("cut at %1 tokens: the rest is not trained on").arg(limit);
    case text::Truncation::Drop: return tr("limit of %1 tokens: the row is longer and is left out").arg(limit);
    case text::Truncation::Error: return tr("limit of %1 tokens: the row is longer, and a run with it is refused").arg(limit);
  }
  return {};
}

void TokenView::paintCut(QPainter& painter, int top) const {
  const QColor color = palette().color(QPalette::BrightText);
  const int middle = top + TokenLayout::kRuleHeight / 2 - 2;
  QFont font = this->font();
  font.setPixelSize(12);
  painter.setFont(font);
  painter.setPen(QPen(color, 1.5, Qt::DashLine));
  const QString text = QStringLiteral("✂ ") + cutText();
  const int width = QFontMetrics(font).horizontalAdvance(text);
  painter.drawLine(width + 10, middle, viewport()->width(), middle);
  painter.setPen(color);
  painter.drawText(QRect(0, top, viewport()->width(), TokenLayout::kRuleHeight - 4), Qt::AlignVCenter | Qt::AlignLeft, text);
}

void TokenView::setCurrent(int index) {
  if (index == current_) return;
  current_ = index;
  if (current_ < 0) card_->hide();
  viewport()->update();
}

void TokenView::showCard() {
  const ShownToken& token = tokens_[static_cast<std::size_t>(current_)];
  const QRect chip = layout_.chips()[static_cast<std::size_t>(current_)];
  QString loss = token.hasLoss ? tr("yes") : tr("no");
  if (isBeyond(current_)) loss = tr("no, beyond the limit");
  card_->showRows({{tr("token"), token.text.left(60)},
                   {tr("id"), QString::number(token.id)},
                   {tr("place"), tr("%1 in the row").arg(QLocale().toString(current_ + 1))},
                   {tr("carries loss"), loss},
                   {tr("kind"), token.isSpecial ? tr("special token") : tr("text")}},
                  QPoint(chip.center().x(), chip.bottom() - scrolled() + 4));
  setAccessibleDescription(cardText());
}

QString TokenView::cardText() const { return current_ < 0 ? QString() : card_->plainText(); }

bool TokenView::viewportEvent(QEvent* event) {
  if (event->type() == QEvent::MouseMove) {
    const QPoint place = static_cast<QMouseEvent*>(event)->pos() + QPoint(0, scrolled());
    const int index = layout_.at(place);
    if (index != current_) setCurrent(index);
    if (index >= 0) showCard();
  }
  if (event->type() == QEvent::Leave) setCurrent(-1);
  return QAbstractScrollArea::viewportEvent(event);
}

void TokenView::keyPressEvent(QKeyEvent* event) {
  const int last = static_cast<int>(tokens_.size()) - 1;
  int wanted = -1;
  switch (event->key()) {
    case Qt::Key_Right: wanted = std::min(current_ + 1, last); break;
    case Qt::Key_Left: wanted = std::max(current_ - 1, 0); break;
    case Qt::Key_Down: wanted = current_ < 0 ? 0 : layout_.neighbour(current_, 1); break;
    case Qt::Key_Up: wanted = current_ < 0 ? 0 : layout_.neighbour(current_, -1); break;
    case Qt::Key_Home: wanted = 0; break;
    case Qt::Key_End: wanted = last; break;
    case Qt::Key_Escape: return setCurrent(-1);
    default: return QAbstractScrollArea::keyPressEvent(event);
  }
  if (last < 0) return;
  const QRect chip = layout_.chips()[static_cast<std::size_t>(wanted)];
  if (chip.top() < scrolled()) verticalScrollBar()->setValue(chip.top());
  if (chip.bottom() > scrolled() + viewport()->height()) verticalScrollBar()->setValue(chip.bottom() - viewport()->height() + 4);
  setCurrent(wanted);
  showCard();
}

void TokenView::resizeEvent(QResizeEvent* event) {
  QAbstractScrollArea::resizeEvent(event);
  placeTokens();
}

void TokenView::changeEvent(QEvent* event) {
  QAbstractScrollArea::changeEvent(event);
  if (event->type() == QEvent::FontChange) viewport()->setFont(tokenFont());
}

void TokenView::scrollContentsBy(int, int) {
  setCurrent(-1);
  viewport()->update();
}

}  // namespace tidemark::ui
