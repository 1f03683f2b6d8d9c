#include "ui/report/pdf_report.h"

#include <QCoreApplication>
#include <QFontDatabase>
#include <QPainter>
#include <QPdfWriter>
#include <QSaveFile>

#include "plots/curve_plot.h"
#include "plots/memory_stack_plot.h"
#include "plots/operator_bar_plot.h"
#include "plots/quantity.h"
#include "ui/models/operator_table_model.h"
#include "ui/models/run_figures.h"
#include "ui/models/run_status.h"

namespace tidemark::ui {
namespace {

// All measures in points; the painter is scaled to them.
constexpr int kMargin = 40;
constexpr int kWidth = 595 - 2 * kMargin;   // A4
constexpr int kHeight = 842 - 2 * kMargin;
constexpr int kResolution = 1200;
constexpr int kRowHeight = 13;

QString tr(const char* text) { return QCoreApplication::translate("tidemark::ui::PdfReport", text); }

// A page being filled from its top; begins a new one where the next block does not fit.
class Sheet {
 public:
  Sheet(QPdfWriter& writer, const QString& footer) : writer_(writer), painter_(&writer), footer_(footer) { beginPage(); }
  ~Sheet() { drawFooter(); }

  QPainter& painter() { return painter_; }
  int take(int height) {  // the top of the block
    if (y_ + height > kHeight) {
      drawFooter();
      writer_.newPage();
      ++page_;
      beginPage();
    }
    const int top = y_;
    y_ += height;
    return top;
  }
  enum class Overflow { Elide, Wrap };
  void text(const QRect& place, const QString& words, int size, QFont::Weight weight, const QColor& color, Qt::Alignment alignment,
            Overflow overflow = Overflow::Elide) {
    QFont font(QFontDatabase::hasFamily(QStringLiteral("Inter")) ? QStringLiteral("Inter") : QStringLiteral("DejaVu Sans"));
    font.setPixelSize(size);
    font.setWeight(weight);
    painter_.setFont(font);
    painter_.setPen(color);
    if (overflow == Overflow::Wrap) {
      painter_.drawText(place, static_cast<int>(alignment) | Qt::TextWordWrap, words);
      return;
    }
    const QString shown = QFontMetricsF(font).elidedText(words, Qt::ElideRight, place.width() * 1.0);
    painter_.drawText(place, static_cast<int>(alignment) | Qt::TextSingleLine, shown);
  }

 private:
  void beginPage() {
    painter_.resetTransform();
    painter_.scale(kResolution / 72.0, kResolution / 72.0);
    painter_.translate(kMargin, kMargin);
    y_ = 0;
  }
  void drawFooter() {
    const QColor muted = plots::PlotTheme::light().muted;
    text(QRect(0, kHeight + 10, kWidth - 40, 12), footer_, 8, QFont::Normal, muted, Qt::AlignLeft);
    text(QRect(kWidth - 40, kHeight + 10, 40, 12), QString::number(page_), 8, QFont::Normal, muted, Qt::AlignRight);
  }

  QPdfWriter& writer_;
  QPainter painter_;
  QString footer_;
  int y_ = 0;
  int page_ = 1;
};

void drawTitle(Sheet& sheet, const RunDetail& detail) {
  const plots::PlotTheme theme = plots::PlotTheme::light();
  const QString name = QString::fromStdString(detail.record.name).simplified();
  sheet.text(QRect(0, sheet.take(28), kWidth, 26), name, 20, QFont::Bold, theme.text, Qt::AlignLeft);
  sheet.text(QRect(0, sheet.take(16), kWidth, 14), subtitleOf(detail), 10, QFont::Normal, theme.muted, Qt::AlignLeft);
  sheet.text(QRect(0, sheet.take(24), kWidth, 14), progressOf(detail.record), 10, QFont::Normal, theme.muted, Qt::AlignLeft);
}

void drawFigures(Sheet& sheet, const RunDetail& detail) {
  const plots::PlotTheme theme = plots::PlotTheme::light();
  constexpr int kGap = 8, kCard = (kWidth - 4 * kGap) / 5;
  const int top = sheet.take(66);
  const auto figures = figuresOf(detail, detail.newSteps);
  for (std::size_t i = 0; i < figures.size(); ++i) {
    const QRect card(static_cast<int>(i) * (kCard + kGap), top, kCard, 54);
    sheet.painter().setPen(QPen(theme.cardBorder, 0.75));
    sheet.painter().setBrush(Qt::NoBrush);
    sheet.painter().drawRoundedRect(card, 4, 4);
    const QRect inner = card.adjusted(7, 6, -5, -5);
    sheet.text(inner, figures[i].name, 8, QFont::Normal, theme.muted, Qt::AlignLeft | Qt::AlignTop);
    sheet.text(inner, figures[i].value, 12, QFont::Bold, theme.text, Qt::AlignLeft | Qt::AlignVCenter);
    sheet.text(inner, figures[i].note, 6, QFont::Normal, theme.muted, Qt::AlignLeft | Qt::AlignBottom, Sheet::Overflow::Wrap);
  }
}

// The plot is laid out half as large again and drawn smaller, so that its type suits paper.
void drawPlot(Sheet& sheet, const QString& title, plots::PlotFrame& plot, int height) {
  constexpr double kZoom = 1.5;
  const plots::PlotTheme theme = plots::PlotTheme::light();
  const int top = sheet.take(height + 26);
  sheet.text(QRect(0, top, kWidth, 14), title, 11, QFont::DemiBold, theme.text, Qt::AlignLeft);
  const QSize size(static_cast<int>(kWidth * kZoom), static_cast<int>(height * kZoom));
  plot.resize(size);
  QPainter& painter = sheet.painter();
  painter.save();
  painter.translate(0, top + 16);
  painter.scale(1 / kZoom, 1 / kZoom);
  plot.drawVector(painter, size);
  painter.restore();
}

void drawLegend(Sheet& sheet) {
  const plots::PlotTheme theme = plots::PlotTheme::light();
  const std::pair<plots::Space, QString> spaces[] = {{plots::Space::Activation, tr("activation")},
                                                     {plots::Space::Dynamic, tr("dynamic cache")},
                                                     {plots::Space::Static, tr("static cache")},
                                                     {plots::Space::Trainable, tr("trainable state")},
                                                     {plots::Space::Workspace, tr("workspace")}};
  const int top = sheet.take(20);
  int x = 0;
  for (const auto& [space, name] : spaces) {
    sheet.painter().fillRect(QRect(x, top + 1, 8, 8), plots::spaceColor(space));
    sheet.text(QRect(x + 12, top, 80, 11), name, 8, QFont::Normal, theme.muted, Qt::AlignLeft);
    x += 92;
  }
}

void drawPlots(Sheet& sheet, const RunDetail& detail) {
  if (detail.timeline) {
    plots::MemoryStackPlot memory;
    memory.setSeries(memorySeriesOf(detail));
    drawPlot(sheet, tr("Memory over one iteration, %1 on rank %2").arg(memory.unitName()).arg(detail.wish.rank), memory, 190);
    drawLegend(sheet);
  }
  if (!detail.operators.empty()) {
    plots::OperatorBarPlot bars;
    bars.setBars(operatorBarsOf(detail));
    drawPlot(sheet, tr("Activation kept per operator"), bars, 150);
  }
  if (!detail.newSteps.empty()) {
    plots::CurvePlot curves;
    curves.setSeries(curvesOf(detail.newSteps, detail.evaluations));
    drawPlot(sheet, tr("Loss and throughput"), curves, 170);
  }
}

void drawRow(Sheet& sheet, const QStringList& cells, const std::vector<int>& widths, bool isHeader) {
  const plots::PlotTheme theme = plots::PlotTheme::light();
  const int top = sheet.take(kRowHeight);
  int x = 0;
  for (qsizetype i = 0; i < cells.size(); ++i) {
    const int width = widths[static_cast<std::size_t>(i)];
    sheet.text(QRect(x, top, width - 4, kRowHeight), cells[i], 7, isHeader ? QFont::DemiBold : QFont::Normal,
               isHeader ? theme.muted : theme.text, Qt::AlignVCenter | (i < 2 ? Qt::AlignLeft : Qt::AlignRight));
    x += width;
  }
}

void drawOperators(Sheet& sheet, const RunDetail& detail) {
  if (detail.operators.empty()) return;
  const plots::PlotTheme theme = plots::PlotTheme::light();
  sheet.text(QRect(0, sheet.take(22), kWidth, 16), tr("Operators, measured in iteration 1"), 11, QFont::DemiBold, theme.text, Qt::AlignLeft);
  OperatorTableModel model;
  model.setRecords(detail.operators);
  using Table = OperatorTableModel;
  const std::vector<int> columns{Table::Index, Table::Name, Table::Trend, Table::Activation, Table::Workspace,
                                 Table::Remote, Table::Forward, Table::Backward, Table::Gather};
  const std::vector<int> widths{24, 115, 44, 56, 56, 56, 54, 56, 54};
  QStringList head;
  for (const int column : columns) head << model.headerData(column, Qt::Horizontal, Qt::DisplayRole).toString();
  drawRow(sheet, head, widths, true);
  for (int row = 0; row < model.rowCount(); ++row) {
    QStringList cells;
    for (const int column : columns) cells << model.index(row, column).data().toString();
    drawRow(sheet, cells, widths, false);
  }
}

}  // namespace

Status writePdfReport(const RunDetail& detail, const QString& path) {
  QSaveFile file(path);
  if (!file.open(QIODevice::WriteOnly)) {
    return Error{ErrorCode::Io, path.toStdString(), file.errorString().toStdString()};
  }
  {
    QPdfWriter writer(&file);
    writer.setPageSize(QPageSize(QPageSize::A4));
    writer.setPageMargins(QMarginsF(0, 0, 0, 0));
    writer.setResolution(kResolution);
    writer.setTitle(QString::fromStdString(detail.record.name));
    writer.setCreator(QStringLiteral("Tidemark ") + QCoreApplication::applicationVersion());
    Sheet sheet(writer, tr("Tidemark memory report · run %1").arg(QString::fromStdString(detail.record.id)));
    drawTitle(sheet, detail);
    drawFigures(sheet, detail);
    drawPlots(sheet, detail);
    drawOperators(sheet, detail);
  }
  if (!file.commit()) return Error{ErrorCode::Io, path.toStdString(), file.errorString().toStdString()};
  return {};
}

}  // namespace tidemark::ui
