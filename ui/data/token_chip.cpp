#include "ui/data/token_chip.h"

#include <QPainter>

#include "plots/plot_theme.h"
#include "ui/data/token_layout.h"

namespace tidemark::ui {
namespace {

constexpr int kLegendGap = 8;

QBrush backOf(const ShownToken& token, const ChipLook& look, const QPalette& palette) {
  if (look.isBeyond) return Qt::NoBrush;
  QColor back = token.hasLoss ? plots::spaceColor(plots::Space::Activation) : palette.color(QPalette::Midlight);
  back.setAlpha(token.hasLoss ? 75 : 130);
  return back;
}

QPen frameOf(const ShownToken& token, const ChipLook& look, const QPalette& palette) {
  if (look.isCurrent) return QPen(palette.color(QPalette::Link), 2);
  if (look.isBeyond) return QPen(palette.color(QPalette::Dark), 1, Qt::DotLine);
  return token.isSpecial ? QPen(palette.color(QPalette::Dark), 1) : QPen(Qt::NoPen);
}

}  // namespace

QFont tokenFont() {
  QFont font;
  font.setFamilies({QStringLiteral("JetBrains Mono"), QStringLiteral("DejaVu Sans Mono"), QStringLiteral("monospace")});
  font.setStyleHint(QFont::Monospace);
  font.setPixelSize(12);
  return font;
}

void paintChip(QPainter& painter, const ShownToken& token, const QRect& chip, const ChipLook& look, const QPalette& palette) {
  painter.setPen(frameOf(token, look, palette));
  painter.setBrush(backOf(token, look, palette));
  painter.drawRoundedRect(QRectF(chip).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4);
  if (token.hasLoss) {
    QColor amber = plots::spaceColor(plots::Space::Activation);
    if (look.isBeyond) amber.setAlpha(110);
    painter.fillRect(QRect(chip.left() + 3, chip.bottom() - 1, chip.width() - 6, 2), amber);
  }
  QFont font = tokenFont();
  font.setStrikeOut(look.isBeyond);
  painter.setFont(font);
  painter.setPen(palette.color(look.isBeyond ? QPalette::PlaceholderText : QPalette::WindowText));
  const int room = chip.width() - 2 * TokenLayout::kPadding;
  const QFontMetrics metrics(font);
  const bool fits = metrics.horizontalAdvance(token.text) <= room;
  painter.drawText(chip.adjusted(TokenLayout::kPadding, 0, 0, 0), Qt::AlignVCenter | Qt::AlignLeft | Qt::TextSingleLine,
                   fits ? token.text : metrics.elidedText(token.text, Qt::ElideRight, room));
}

TokenLegend::TokenLegend(QWidget* parent) : QWidget(parent) {
  const auto add = [this](const QString& text, bool hasLoss, bool isSpecial, bool isBeyond) {
    entries_.push_back({{.id = 0, .text = text, .hasLoss = hasLoss, .isSpecial = isSpecial, .endsLine = false}, {isBeyond, false}});
  };
  add(tr("no loss"), false, false, false);
  add(tr("loss"), true, false, false);
  add(tr("special"), false, true, false);
  add(tr("beyond limit"), false, false, true);
  setAccessibleName(tr("Legend of the tokens"));
  setToolTip(tr("Tokens that carry loss are those that the model learns to write. ⏎ is a line end, ⇥ a tab, · a space that stands "
                "alone, \\xE2 a byte of a character that several tokens make up."));
}

QSize TokenLegend::sizeHint() const {
  const QFontMetrics metrics(tokenFont());
  int width = 0;
  for (const Entry& entry : entries_) width += metrics.horizontalAdvance(entry.token.text) + 2 * TokenLayout::kPadding + kLegendGap;
  return {width, TokenLayout::kChipHeight + 2};
}

void TokenLegend::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  const QFontMetrics metrics(tokenFont());
  int x = 0;
  for (const Entry& entry : entries_) {
    const int width = metrics.horizontalAdvance(entry.token.text) + 2 * TokenLayout::kPadding;
    paintChip(painter, entry.token, {x, 1, width, TokenLayout::kChipHeight}, entry.look, palette());
    x += width + kLegendGap;
  }
}

}  // namespace tidemark::ui
