#include "ui/report/pdf_sheet.h"

#include <QFontDatabase>
#include <QFontMetricsF>
#include <QPdfWriter>
#include <algorithm>
#include <numeric>

#include "plots/plot_frame.h"

namespace tidemark::ui {
namespace {

constexpr int kRowHeight = 13;
constexpr int kCellSize = 7;  // of type
constexpr int kGap = 6;       // between columns
constexpr int kLeastColumn = 24;

QFont fontOf(int size, QFont::Weight weight) {
  QFont font(QFontDatabase::hasFamily(QStringLiteral("Inter")) ? QStringLiteral("Inter") : QStringLiteral("DejaVu Sans"));
  font.setPixelSize(size);
  font.setWeight(weight);
  return font;
}

// As wide as their texts; the widest give way first where the page is too narrow, and all grow alike where it is wider.
std::vector<int> widthsFor(const report::Table& table, int room) {
  std::vector<int> widths(table.rows.front().size(), kLeastColumn);
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    const QFontMetricsF metrics(fontOf(kCellSize, row == 0 ? QFont::DemiBold : QFont::Normal));
    for (std::size_t i = 0; i < std::min(widths.size(), table.rows[row].size()); ++i) {
      const QString text = QString::fromStdString(table.rows[row][i]).simplified();
      widths[i] = std::max(widths[i], static_cast<int>(metrics.horizontalAdvance(text)) + 1 + kGap);
    }
  }
  const auto total = [&] { return std::accumulate(widths.begin(), widths.end(), 0); };
  while (total() > room) --*std::max_element(widths.begin(), widths.end());
  const int more = (room - total()) / static_cast<int>(widths.size());
  for (int& width : widths) width += widths.size() > 3 ? more : std::min(more, 40);
  return widths;
}

}  // namespace

PdfSheet::PdfSheet(QPdfWriter& writer, const QString& footer) : writer_(writer), painter_(&writer), footer_(footer) { beginPage(); }

PdfSheet::~PdfSheet() { drawFooter(); }

void PdfSheet::beginPage() {
  painter_.resetTransform();
  painter_.scale(kResolution / 72.0, kResolution / 72.0);
  painter_.translate(kMargin, kMargin);
  y_ = 0;
}

void PdfSheet::drawFooter() {
  const QColor muted = plots::PlotTheme::light().muted;
  text(QRect(0, kHeight + 10, kWidth - 40, 12), footer_, 8, QFont::Normal, muted, Qt::AlignLeft);
  text(QRect(kWidth - 40, kHeight + 10, 40, 12), QString::number(page_), 8, QFont::Normal, muted, Qt::AlignRight);
}

void PdfSheet::newPage() {
  if (y_ == 0) return;
  drawFooter();
  writer_.newPage();
  ++page_;
  beginPage();
}

int PdfSheet::take(int height) {
  if (y_ + height > kHeight) newPage();
  const int top = y_;
  y_ += height;
  return top;
}

void PdfSheet::text(const QRect& place, const QString& words, int size, QFont::Weight weight, const QColor& color, Qt::Alignment alignment,
                    Overflow overflow) {
  const QFont font = fontOf(size, weight);
  painter_.setFont(font);
  painter_.setPen(color);
  if (overflow == Overflow::Wrap) {
    painter_.drawText(place, static_cast<int>(alignment) | Qt::TextWordWrap, words);
    return;
  }
  const QString shown = QFontMetricsF(font).elidedText(words, Qt::ElideRight, place.width() * 1.0);
  painter_.drawText(place, static_cast<int>(alignment) | Qt::TextSingleLine, shown);
}

void PdfSheet::row(const std::vector<std::string>& cells, const std::vector<int>& widths, std::size_t textColumns, bool isHead) {
  const plots::PlotTheme theme = plots::PlotTheme::light();
  const int top = take(kRowHeight);
  int x = 0;
  for (std::size_t i = 0; i < std::min(cells.size(), widths.size()); ++i) {
    const bool isNumber = i >= textColumns;
    const QRect place(isNumber ? x + kGap / 2 : x, top, widths[i] - kGap / 2, kRowHeight);
    text(place, QString::fromStdString(cells[i]).simplified(), kCellSize, isHead ? QFont::DemiBold : QFont::Normal, isHead ? theme.muted : theme.text,
         Qt::AlignVCenter | (isNumber ? Qt::AlignRight : Qt::AlignLeft));
    x += widths[i];
  }
  if (!isHead) return;
  painter_.setPen(QPen(theme.cardBorder, 0.5));
  painter_.drawLine(0, top + kRowHeight - 1, x, top + kRowHeight - 1);
}

void PdfSheet::table(const report::Table& table) {
  if (table.rows.empty()) return;
  const plots::PlotTheme theme = plots::PlotTheme::light();
  if (y_ + 22 + 4 * kRowHeight > kHeight) newPage();  // no heading without rows below it
  text(QRect(0, take(22), kWidth, 16), QString::fromStdString(table.heading), 11, QFont::DemiBold, theme.text, Qt::AlignLeft | Qt::AlignVCenter);
  const std::vector<int> widths = widthsFor(table, kWidth);
  row(table.rows.front(), widths, table.textColumns, true);
  for (std::size_t i = 1; i < table.rows.size(); ++i) {
    if (y_ + kRowHeight > kHeight) {
      newPage();
      row(table.rows.front(), widths, table.textColumns, true);
    }
    row(table.rows[i], widths, table.textColumns, false);
  }
  if (!table.remark.empty())
    text(QRect(0, take(16), kWidth, 12), QString::fromStdString(table.remark), 7, QFont::Normal, theme.muted, Qt::AlignLeft | Qt::AlignVCenter);
  space(8);
}

// The plot is laid out half as large again and drawn smaller, so that its type suits paper.
void PdfSheet::plot(const QString& title, plots::PlotFrame& plot, int height) {
  constexpr double kZoom = 1.5;
  const plots::PlotTheme theme = plots::PlotTheme::light();
  const auto legend = plot.legend();
  const int legendHeight = legend.empty() ? 0 : 14;
  const int top = take(height + 28 + legendHeight);
  text(QRect(0, top, kWidth, 14), title, 11, QFont::DemiBold, theme.text, Qt::AlignLeft);
  int x = 0;
  for (const plots::LegendEntry& entry : legend) {
    const int width = static_cast<int>(QFontMetricsF(fontOf(8, QFont::Normal)).horizontalAdvance(entry.name)) + 12;
    if (x + width > kWidth) break;
    plots::drawMark(painter_, QRectF(x, top + 19, 7, 7), entry.color, entry.shape);
    text(QRect(x + 11, top + 16, width, 12), entry.name, 8, QFont::Normal, theme.muted, Qt::AlignLeft | Qt::AlignVCenter);
    x += width + 14;
  }
  const QSize size(static_cast<int>(kWidth * kZoom), static_cast<int>(height * kZoom));
  plot.resize(size);
  painter_.save();
  painter_.translate(0, top + 18 + legendHeight);
  painter_.scale(1 / kZoom, 1 / kZoom);
  plot.drawVector(painter_, size);
  painter_.restore();
}

}  // namespace tidemark::ui
