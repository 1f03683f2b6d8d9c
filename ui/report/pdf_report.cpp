#include "ui/report/pdf_report.h"

#include <QCoreApplication>
#include <QPdfWriter>
#include <QSaveFile>

#include "ui/models/run_figures.h"
#include "ui/report/pdf_sheet.h"
#include "ui/report/run_plots.h"

namespace tidemark::ui {
namespace {

constexpr int kWidth = PdfSheet::kWidth;

QString tr(const char* text) { return QCoreApplication::translate("tidemark::ui::PdfReport", text); }

void drawTitle(PdfSheet& sheet, const RunDetail& detail) {
  const plots::PlotTheme theme = plots::PlotTheme::light();
  const QString name = QString::fromStdString(detail.record.name).simplified();
  sheet.text(QRect(0, sheet.take(28), kWidth, 26), name, 20, QFont::Bold, theme.text, Qt::AlignLeft);
  sheet.text(QRect(0, sheet.take(16), kWidth, 14), subtitleOf(detail), 10, QFont::Normal, theme.muted, Qt::AlignLeft);
  sheet.text(QRect(0, sheet.take(22), kWidth, 14), progressOf(detail.record), 10, QFont::Normal, theme.muted, Qt::AlignLeft);
}

// In two columns, name above value.
void drawFacts(PdfSheet& sheet, const report::RunReport& report) {
  const plots::PlotTheme theme = plots::PlotTheme::light();
  constexpr int kColumn = kWidth / 2, kName = 62;
  const report::Facts facts = report::factsOf(report);
  for (std::size_t i = 0; i < facts.size(); i += 2) {
    const int top = sheet.take(12);
    for (std::size_t k = i; k < std::min(i + 2, facts.size()); ++k) {
      const int x = k == i ? 0 : kColumn;
      sheet.text(QRect(x, top, kName, 11), QString::fromStdString(facts[k].first), 8, QFont::Normal, theme.muted, Qt::AlignLeft);
      sheet.text(QRect(x + kName, top, kColumn - kName - 8, 11), QString::fromStdString(facts[k].second).simplified(), 8, QFont::Normal, theme.text, Qt::AlignLeft);
    }
  }
  sheet.space(10);
}

void drawFigures(PdfSheet& sheet, const RunDetail& detail) {
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
    sheet.text(inner, figures[i].note, 6, QFont::Normal, theme.muted, Qt::AlignLeft | Qt::AlignBottom, PdfSheet::Overflow::Wrap);
  }
}

void drawRun(PdfSheet& sheet, const ReportedRun& run) {
  drawTitle(sheet, run.detail);
  drawFacts(sheet, run.report);
  drawFigures(sheet, run.detail);
  for (RunPlot& plot : plotsOf(run)) sheet.plot(plot.title, *plot.plot, plot.height);
  sheet.table(report::planTable(run.report, report::figuresOf(run.report)));
  sheet.table(report::planList(run.report));
  sheet.table(report::rankTable(run.report));
  sheet.table(report::hyperparameterTable(run.report));
  sheet.table(report::operatorTable(run.report));
}

void drawComparison(PdfSheet& sheet, const report::RunReports& reports) {
  const plots::PlotTheme theme = plots::PlotTheme::light();
  sheet.text(QRect(0, sheet.take(36), kWidth, 26), tr("%1 runs compared").arg(reports.size()), 20, QFont::Bold, theme.text, Qt::AlignLeft);
  sheet.table(report::resultTable(reports));
  sheet.table(report::gatherAlwaysTable(reports));
  sheet.table(report::differenceTable(reports));
}

QString footerOf(const std::vector<ReportedRun>& runs) {
  const bool isOne = runs.size() == 1;
  return isOne ? tr("Tidemark memory report · run %1").arg(QString::fromStdString(runs.front().detail.record.id))
               : tr("Tidemark memory report · %1 runs").arg(runs.size());
}

}  // namespace

Status writePdfReport(const std::vector<ReportedRun>& runs, const QString& path) {
  QSaveFile file(path);
  if (!file.open(QIODevice::WriteOnly)) {
    return Error{ErrorCode::Io, path.toStdString(), file.errorString().toStdString()};
  }
  {
    QPdfWriter writer(&file);
    writer.setPageSize(QPageSize(QPageSize::A4));
    writer.setPageMargins(QMarginsF(0, 0, 0, 0));
    writer.setResolution(PdfSheet::kResolution);
    writer.setTitle(runs.size() == 1 ? QString::fromStdString(runs.front().detail.record.name) : tr("%1 runs").arg(runs.size()));
    writer.setCreator(QStringLiteral("Tidemark ") + QCoreApplication::applicationVersion());
    PdfSheet sheet(writer, footerOf(runs));
    report::RunReports reports;
    for (const ReportedRun& run : runs) reports.push_back(run.report);
    if (runs.size() > 1) drawComparison(sheet, reports);
    for (const ReportedRun& run : runs) {
      sheet.newPage();
      drawRun(sheet, run);
    }
    if (runs.size() == 1) sheet.table(report::gatherAlwaysTable(reports));
  }
  if (!file.commit()) return Error{ErrorCode::Io, path.toStdString(), file.errorString().toStdString()};
  return {};
}

}  // namespace tidemark::ui
