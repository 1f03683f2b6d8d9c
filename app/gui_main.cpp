// Composition root of the workbench: reads the command line, opens the window, or draws every page and ends.
#include <QApplication>
#include <QCommandLineParser>
#include <QDir>
#include <QFileInfo>
#include <QIcon>
#include <QSettings>
#include <QTimer>
#include <filesystem>
#include <iostream>

#include "storage/run_store.h"
#include "ui/shell/grab.h"
#include "ui/shell/main_window.h"

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

}  // namespace

int main(int argc, char** argv) {
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
  parser.addOptions({db, open, grab});
  parser.process(application);

  ui::WindowSettings settings;
  settings.database = parser.isSet(db) ? std::filesystem::path(QFileInfo(parser.value(db)).absoluteFilePath().toStdString())
                                       : storage::RunStore::defaultPath();
  settings.cli = QDir(QApplication::applicationDirPath()).filePath(QStringLiteral("tidemark-cli"));
  settings.appearance = parser.isSet(grab) ? ui::Appearance::Light : storedAppearance();
  QString runId;
  if (parser.isSet(open)) {
    runId = findRun(settings.database, parser.value(open));
    if (runId.isEmpty()) return 2;
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
