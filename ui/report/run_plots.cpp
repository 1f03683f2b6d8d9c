#include "ui/report/run_plots.h"

#include <QCoreApplication>
#include <QDir>
#include <QSet>

#include "plots/curve_plot.h"
#include "plots/memory_stack_plot.h"
#include "plots/operator_bar_plot.h"
#include "plots/overlay_plot.h"
#include "ui/models/run_figures.h"

namespace tidemark::ui {
namespace {

constexpr QSize kPictureSize(960, 420);

QString tr(const char* text) { return QCoreApplication::translate("tidemark::ui::RunPlots", text); }

// The greatest of each step, so that they are not all of one moment.
plots::OverlaySeries spacesOf(const std::vector<run::StepEvent>& steps) {
  using plots::Space;
  plots::OverlaySeries series;
  series.xLabel = tr("step");
  series.yLabel = tr("greatest of the step");
  series.yMeasure = plots::Measure::Bytes;
  series.beginsAtZero = true;
  const std::pair<Space, std::pair<QString, int64_t run::StepEvent::*>> spaces[] = {
      {Space::Static, {tr("static cache"), &run::StepEvent::staticBytes}},
      {Space::Dynamic, {tr("dynamic cache"), &run::StepEvent::dynamicPeakBytes}},
      {Space::Activation, {tr("activation"), &run::StepEvent::activationPeakBytes}},
      {Space::Workspace, {tr("workspace"), &run::StepEvent::workspacePeakBytes}}};
  const auto add = [&](const QString& name, const QColor& color, int64_t run::StepEvent::*bytes) {
    plots::OverlayCurve curve{name.toStdString(), 0, {}, color};
    for (const run::StepEvent& step : steps) curve.points.push_back({static_cast<double>(step.step), static_cast<double>(step.*bytes)});
    series.curves.push_back(std::move(curve));
  };
  for (const auto& [space, what] : spaces) add(what.first, plots::spaceColor(space), what.second);
  add(tr("all together"), plots::PlotTheme::light().muted, &run::StepEvent::peakBytes);
  return series;
}

void add(std::vector<RunPlot>& all, const QString& title, int height, std::unique_ptr<plots::PlotFrame> plot) {
  plot->setTheme(plots::PlotTheme::light());
  all.push_back({title, height, std::move(plot)});
}

}  // namespace

std::vector<RunPlot> plotsOf(const ReportedRun& run) {
  std::vector<RunPlot> all;
  const RunDetail& detail = run.detail;
  if (detail.timeline) {
    auto memory = std::make_unique<plots::MemoryStackPlot>();
    memory->setSeries(memorySeriesOf(detail));
    const QString title = tr("Memory over one iteration, %1 on rank %2").arg(memory->unitName()).arg(detail.wish.rank);
    add(all, title, 190, std::move(memory));
  }
  if (detail.newSteps.size() >= 2) {
    auto spaces = std::make_unique<plots::OverlayPlot>();
    spaces->setSeries(spacesOf(detail.newSteps));
    add(all, tr("The spaces over the run"), 150, std::move(spaces));
  }
  if (!detail.operators.empty()) {
    auto bars = std::make_unique<plots::OperatorBarPlot>();
    bars->setBars(operatorBarsOf(detail));
    add(all, tr("Activation kept per operator"), 150, std::move(bars));
  }
  if (!detail.newSteps.empty()) {
    auto curves = std::make_unique<plots::CurvePlot>();
    curves->setSeries(curvesOf(detail.newSteps, detail.evaluations));
    add(all, tr("Loss and throughput"), 170, std::move(curves));
  }
  return all;
}

Result<QStringList> writePlots(const std::vector<ReportedRun>& runs, const QString& folder) {
  if (!QDir().mkpath(folder)) return Error{ErrorCode::Io, folder.toStdString(), "the folder cannot be made"};
  QStringList files;
  QSet<QString> taken;
  for (const ReportedRun& run : runs) {
    const QString name = QString::fromStdString(run.detail.record.name).simplified();
    for (RunPlot& entry : plotsOf(run)) {
      entry.plot->resize(kPictureSize);
      entry.plot->setPictureTitle(tr("%1: %2").arg(name, entry.title));
      QString file = plots::fileNameFor(entry.plot->pictureTitle());
      if (taken.contains(file)) file += QLatin1Char('-') + QString::fromStdString(run.detail.record.id);  // runs of the same name
      taken.insert(file);
      for (const char* suffix : {".png", ".svg"}) {
        const QString path = QDir(folder).filePath(file + QLatin1String(suffix));
        if (const QString failure = plots::writePlot(*entry.plot, path); !failure.isEmpty()) return Error{ErrorCode::Io, "", failure.toStdString()};
        files << path;
      }
    }
  }
  return files;
}

}  // namespace tidemark::ui
