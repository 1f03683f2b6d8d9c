// Composition root of the workbench: reads the command line, opens the window, or draws every page and ends.
#include <QApplication>
#include <QCommandLineParser>
#include <QDir>
#include <QFileInfo>
#include <QIcon>
#include <QSettings>
#include <QTimer>
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <string_view>
#include <vector>

#include "app/report_source.h"
#include "storage/run_store.h"
#include "ui/live/read_detail.h"
#include "ui/report/pdf_report.h"
#include "ui/report/run_plots.h"
#include "ui/shell/grab.h"
#include "ui/shell/main_window.h"
#include "ui/shell/theme.h"

namespace {

using namespace tidemark;

const QString kAppearanceKey = QStringLiteral("appearance");

ui::Appearance storedAppearance() {
  const QString word = QSettings().value(kAppearanceKey).toString();
  if (word == QLatin1String("light")) return ui::Appearance::Light;
  return word == QLatin1String("dark") ? ui::Appearance::Dark : ui::Appearance::System;
}

void storeAppearance(ui::Appearance appearance) {
  static constexpr const char* kWords[]{"system", "light", "dark"};
  QSettings().setValue(kAppearanceKey, QString::fromLatin1(kWords[static_cast<int>(appearance)]));
}

// Says why on stderr; empty where a run cannot be read.
std::vector<ui::ReportedRun> readRuns(const std::filesystem::path& database, const QStringList& runIds) {
  const auto store = storage::RunStore::open(database);
  std::vector<ui::ReportedRun> runs;
  const auto give = [](const Error& error) {
    std::cerr << "error: " << error.message() << std::endl;
    return std::vector<ui::ReportedRun>();
  };
  if (!store.ok()) return give(store.error());
  for (const QString& id : runIds) {
    ui::RunWish wish;
    wish.runId = id.toStdString();
    auto detail = ui::readDetail(**store, wish, -1);
    if (!detail.ok()) return give(detail.error());
    auto report = app::collectReport(**store, detail->record);
    if (!report.ok()) return give(report.error());
    runs.push_back({std::move(detail).value(), std::move(report).value()});
  }
  return runs;
}

int writeReport(const std::filesystem::path& database, const QStringList& runIds, const QString& target) {
  const auto runs = readRuns(database, runIds);
  if (runs.empty()) return 3;
  if (const Status status = ui::writePdfReport(runs, target); !status.ok()) {
    std::cerr << "error: the report cannot be written: " << status.error().message() << std::endl;
    return 3;
  }
  std::cout << target.toStdString() << std::endl;
  return 0;
}

int writePlots(const std::filesystem::path& database, const QStringList& runIds, const QString& folder) {
  const auto runs = readRuns(database, runIds);
  if (runs.empty()) return 3;
  const auto files = ui::writePlots(runs, folder);
  if (!files.ok()) {
    std::cerr << "error: the plots cannot be written: " << files.error().message() << std::endl;
    return 3;
  }
  for (const QString& file : *files) std::cout << file.toStdString() << '\n';
  std::cout.flush();
  return 0;
}

// The id of the run that the user named by id, prefix, name or directory; empty with a message where there is none.
QString findRun(const std::filesystem::path& database, const QString& wanted) {
  const auto store = storage::RunStore::open(database);
  if (!store.ok()) {
    std::cerr << store.error().message() << std::endl;
    return {};
  }
  const auto run = (*store)->findRun(wanted.toStdString());
  if (run.ok()) return QString::fromStdString(run->id);
  std::cerr << run.error().message() << std::endl;
  return {};
}

// What Qt remarks where there is no login session concerns nobody who has a file drawn.
void dropSessionRemark(QtMsgType type, const QMessageLogContext& context, const QString& text) {
  if (text.startsWith(QLatin1String("QStandardPaths: XDG_RUNTIME_DIR"))) return;
  std::cerr << qFormatLogMessage(type, context, text).toStdString() << std::endl;
}

// Drawing to files and answering questions need no screen; must be known before QApplication is made.
bool needsNoScreen(int argc, char** argv) {
  return std::any_of(argv + 1, argv + argc, [](const char* argument) {
    const std::string_view word(argument);
    return word.starts_with("--grab") || word.starts_with("--report") || word == "--help" || word == "--version";
  });
}

}  // namespace

int main(int argc, char** argv) {
  if (needsNoScreen(argc, argv)) {
    qInstallMessageHandler(dropSessionRemark);
    if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
  }
  QApplication application(argc, argv);
  QApplication::setApplicationName(QStringLiteral("tidemark"));
  QApplication::setApplicationDisplayName(QStringLiteral("Tidemark"));
  QApplication::setApplicationVersion(QStringLiteral(TIDEMARK_VERSION));
  QApplication::setOrganizationName(QStringLiteral("tidemark"));
  QApplication::setDesktopFileName(QStringLiteral("tidemark"));
  QApplication::setWindowIcon(QIcon(QStringLiteral(":/tidemark/icons/tidemark.png")));
  if (QLocale().language() == QLocale::C) QLocale::setDefault(QLocale(QLocale::English, QLocale::UnitedStates));

  QCommandLineParser parser;
  parser.setApplicationDescription(QStringLiteral("Workbench for fine-tuning language models with sharded frozen weights"));
  parser.addHelpOption();
  parser.addVersionOption();
  const QCommandLineOption db(QStringLiteral("db"), QStringLiteral("Database of runs."), QStringLiteral("FILE"));
  const QCommandLineOption open(QStringLiteral("open"), QStringLiteral("Show this run (id, name or directory)."), QStringLiteral("RUN"));
  const QCommandLineOption grab(QStringLiteral("grab"), QStringLiteral("Draw every page to a PNG file in DIR and end."), QStringLiteral("DIR"));
  const QCommandLineOption report(QStringLiteral("report"), QStringLiteral("Write this run's report to --out, or its plots to --plots, and end; several runs may be given."), QStringLiteral("RUN"));
  const QCommandLineOption out(QStringLiteral("out"), QStringLiteral("PDF file of the report."), QStringLiteral("FILE"));
  const QCommandLineOption plots(QStringLiteral("plots"), QStringLiteral("Folder for each plot of the report by itself, as PNG and SVG."), QStringLiteral("DIR"));
  parser.addOptions({db, open, grab, report, out, plots});
  parser.process(application);

  ui::WindowSettings settings;
  settings.database = parser.isSet(db) ? std::filesystem::path(QFileInfo(parser.value(db)).absoluteFilePath().toStdString())
                                       : storage::RunStore::defaultPath();
  settings.cli = QDir(QApplication::applicationDirPath()).filePath(QStringLiteral("tidemark-cli"));
  settings.appearance = parser.isSet(grab) ? ui::Appearance::Light : storedAppearance();
  QStringList runIds;
  for (const QString& wanted : parser.values(parser.isSet(report) ? report : open)) {
    runIds << findRun(settings.database, wanted);
    if (runIds.back().isEmpty()) return 2;
  }
  const QString runId = runIds.value(0);
  if (parser.isSet(report)) {
    if (parser.isSet(out) == parser.isSet(plots)) {
      std::cerr << "error: --report needs either --out FILE.pdf or --plots DIR" << std::endl;
      return 2;
    }
    ui::applyTheme(application, ui::ColorScheme::Light);
    return parser.isSet(out) ? writeReport(settings.database, runIds, parser.value(out)) : writePlots(settings.database, runIds, parser.value(plots));
  }

  ui::MainWindow window(settings);
  QObject::connect(&window, &ui::MainWindow::appearanceChosen, &storeAppearance);
  window.show();
  if (parser.isSet(grab)) {
    window.resize(1440, 900);
    auto* drawing = new ui::Grab(window, parser.value(grab), runId);
    QObject::connect(drawing, &ui::Grab::finished, &application,
                     [](bool isComplete) { QApplication::exit(isComplete ? 0 : 3); });
    drawing->start();
  } else if (!runId.isEmpty()) {
    window.openRun(runId);
  }
  return QApplication::exec();
}
