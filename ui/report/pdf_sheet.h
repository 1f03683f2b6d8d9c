// A page of a PDF report that is being filled from its top: texts, tables and plots; begins a new one where the next block does
// not fit. All measures in points.
#pragma once

#include <QColor>
#include <QFont>
#include <QPainter>
#include <QString>

#include "core/report/tables.h"

class QPdfWriter;

namespace tidemark::plots {
class PlotFrame;
}

namespace tidemark::ui {

class PdfSheet {
 public:
  static constexpr int kMargin = 40;
  static constexpr int kWidth = 595 - 2 * kMargin;  // A4
  static constexpr int kHeight = 842 - 2 * kMargin;
  static constexpr int kResolution = 1200;

  PdfSheet(QPdfWriter& writer, const QString& footer);
  ~PdfSheet();

  QPainter& painter() { return painter_; }
  int take(int height);  // the top of the block
  void newPage();        // unless this one is empty
  enum class Overflow { Elide, Wrap };
  void text(const QRect& place, const QString& words, int size, QFont::Weight weight, const QColor& color, Qt::Alignment alignment,
            Overflow overflow = Overflow::Elide);
  // Nothing where it has no rows. The head comes again on each page.
  void table(const report::Table& table);
  void plot(const QString& title, plots::PlotFrame& plot, int height);
  void space(int height) { take(height); }

 private:
  void beginPage();
  void drawFooter();
  void row(const std::vector<std::string>& cells, const std::vector<int>& widths, std::size_t textColumns, bool isHead);

  QPdfWriter& writer_;
  QPainter painter_;
  QString footer_;
  int y_ = 0;
  int page_ = 1;
};

}  // namespace tidemark::ui
