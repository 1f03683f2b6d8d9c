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

#include "storage/run_store.h"
#include "ui/live/read_detail.h"
#include "ui/report/pdf_report.h"
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

int writeReport(const std::filesystem::path& database, const QString& runId, const QString& target) {
  const auto store = storage::RunStore::open(database);
  if (!store.ok()) {
    std::cerr << store.error().message() << std::endl;
    return 2;
  }
  ui::RunWish wish;
  wish.runId = runId.toStdString();
  const auto detail = ui::readDetail(**store, wish, -1);
  const Status status = detail.ok() ? ui::writePdfReport(*detail, target) : Status(detail.error());
  if (status.ok()) return 0;
  std::cerr << status.error().message() << std::endl;
  return 3;
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

// Drawing to files and answering questions need no screen; must be known before QApplication is made.
bool needsNoScreen(int argc, char** argv) {
  return std::any_of(argv + 1, argv + argc, [](const char* argument) {
    const std::string_view word(argument);
    return word.starts_with("--grab") || word.starts_with("--report") || word == "--help" || word == "--version";
  });
}

}  // namespace

int main(int argc, char** argv) {
  if (needsNoScreen(argc, argv) && qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
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
  const QCommandLineOption report(QStringLiteral("report"), QStringLiteral("Write this run's report to --out and end."), QStringLiteral("RUN"));
  const QCommandLineOption out(QStringLiteral("out"), QStringLiteral("PDF file of the report."), QStringLiteral("FILE"));
  parser.addOptions({db, open, grab, report, out});
  parser.process(application);

  ui::WindowSettings settings;
  settings.database = parser.isSet(db) ? std::filesystem::path(QFileInfo(parser.value(db)).absoluteFilePath().toStdString())
                                       : storage::RunStore::defaultPath();
  settings.cli = QDir(QApplication::applicationDirPath()).filePath(QStringLiteral("tidemark-cli"));
  settings.appearance = parser.isSet(grab) ? ui::Appearance::Light : storedAppearance();
  QString runId;
  if (parser.isSet(open) || parser.isSet(report)) {
    runId = findRun(settings.database, parser.value(parser.isSet(report) ? report : open));
    if (runId.isEmpty()) return 2;
  }
  if (parser.isSet(report)) {
    if (!parser.isSet(out)) {
      std::cerr << "--report needs --out FILE.pdf" << std::endl;
      return 2;
    }
    ui::applyTheme(application, ui::ColorScheme::Light);
    return writeReport(settings.database, runId, parser.value(out));
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
