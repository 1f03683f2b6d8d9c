// Draws every page to a PNG file, in light and dark, and ends the program: for documents and tests.
#pragma once

#include <QObject>
#include <QString>
#include <functional>
#include <vector>

#include "ui/compare/breakdown_card.h"

namespace tidemark::ui {

class MainWindow;

class Grab : public QObject {
  Q_OBJECT
 public:
  // `runId`: the run whose pages are drawn; empty: the newest, or none if there is none.
  Grab(MainWindow& window, const QString& folder, const QString& runId);
  void start();

 signals:
  void finished(bool isComplete);  // false: something could not be drawn; told on standard error

 private:
  struct Step {
    std::function<void()> prepare;
    std::function<bool()> isReady;
    QString name;  // of the file; empty: draws nothing
  };
  void addSteps(const QString& scheme);
  void compareNewest(BreakdownCard::View view);
  void advance();
  bool draw(const QString& name);

  MainWindow& window_;
  QString folder_, runId_;
  std::vector<Step> steps_;
  std::size_t current_ = 0;
  int waitedMs_ = 0;
  bool isPrepared_ = false;
};

}  // namespace tidemark::ui
