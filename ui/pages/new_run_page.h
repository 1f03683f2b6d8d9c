// The form for a new run, with what the named files hold, the equivalent configuration and command line, and what must be
// mended before it can be started. Not responsible for starting it.
#pragma once

#include <QWidget>
#include <map>

#include "core/run/config.h"
#include "ui/live/input_checker.h"
#include "ui/models/run_form.h"

class QHBoxLayout;
class QLabel;
class QLineEdit;
class QPlainTextEdit;
class QPushButton;
class QTimer;
class QToolButton;
class QVBoxLayout;

namespace tidemark::ui {

class Banner;
class Card;
class FieldEditor;

class NewRunPage : public QWidget {
  Q_OBJECT
 public:
  explicit NewRunPage(QWidget* parent = nullptr);

  RunForm& form() { return form_; }
  Banner* banner() const { return banner_; }
  FieldEditor* field(const QString& key) const;
  void load(const run::RunConfig& config, const QString& name);
  void setStarting(bool isStarting);

 signals:
  void dataWanted(const tidemark::run::RunConfig& config);  // look at its dataset
  void startWanted(const tidemark::run::RunConfig& config, const QString& name);

 protected:
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dropEvent(QDropEvent* event) override;

 private:
  QWidget* makeHeader();
  void addEditing(QHBoxLayout* header);
  void restoreForm(void (RunForm::*step)());
  void loadFile(const QString& path);
  QWidget* makeFormColumn();
  QWidget* makeSideColumn();
  void addGroup(QVBoxLayout* column, const QString& title, const QStringList& prefixes);
  QWidget* makeDataButton();
  FieldEditor* makeField(const run::KeyInfo& info);
  void showForm();
  void showField(const QString& key);
  void showConfiguration();
  void checkInputsSoon();
  void takeReport(const InputReport& report);

  RunForm form_;
  InputChecker checker_;
  QTimer* checkTimer_;
  quint64 checkGeneration_ = 0;
  bool isStarting_ = false;
  std::map<QString, FieldEditor*> fields_;
  Banner* banner_;
  QLineEdit* name_;
  QPushButton* start_;
  QToolButton* undo_;
  QToolButton* redo_;
  QLabel* modelSummary_;
  QLabel* dataSummary_;
  QLabel* dataProblems_;
  QLabel* blockers_;
  QLabel* command_;
  QPlainTextEdit* yaml_;
};

}  // namespace tidemark::ui
