// Main of the widget tests: one QApplication without a screen, and every Qt warning ends the test.
#include <gtest/gtest.h>

#include <QApplication>
#include <QLocale>
#include <cstdlib>
#include <iostream>

namespace {

// Only what the platform without a screen always says; each entry names why it says so.
bool isPlatformRemark(const QString& text) {
  return text.startsWith(QLatin1String("This plugin does not support")) ||  // the offscreen platform has no window manager
         text.startsWith(QLatin1String("QStandardPaths: XDG_RUNTIME_DIR not set"));  // containers have no login session
}

void endOnWarning(QtMsgType type, const QMessageLogContext&, const QString& text) {
  std::cerr << text.toStdString() << std::endl;
  if (type == QtDebugMsg || type == QtInfoMsg || isPlatformRemark(text)) return;
  std::cerr << "A Qt warning is an error in these tests." << std::endl;
  std::abort();
}

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
  qInstallMessageHandler(endOnWarning);
  QLocale::setDefault(QLocale(QLocale::English, QLocale::UnitedStates));
  QApplication application(argc, argv);
  return RUN_ALL_TESTS();
}
