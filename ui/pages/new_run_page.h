// The form for a new run, with what fits, the equivalent configuration and command line, one row of the data, and what must be
// mended before it can be started. Wires these together; not responsible for starting the run.
#pragma once

#include <QWidget>
#include <filesystem>

#include "core/run/config.h"
#include "ui/live/fit_advisor.h"
#include "ui/live/input_checker.h"
#include "ui/live/profile_runner.h"
#include "ui/live/row_preview.h"
#include "ui/models/recent_paths.h"
#include "ui/models/run_form.h"

class QLabel;
class QLineEdit;
class QPushButton;
class QTimer;

namespace tidemark::plots {
struct PlotTheme;
}

namespace tidemark::ui {

class Banner;
class ConfigurationCard;
class EditingBar;
class FieldEditor;
class FitCard;
class FormColumn;
class FormFiles;
class RowPreviewCard;

class NewRunPage : public QWidget {
  Q_OBJECT
 public:
  // `database`: where speeds of earlier runs are looked for, and beside which recent files are kept; `cli`: the path of
  // tidemark-cli, for profiles. Either may be empty.
  explicit NewRunPage(const std::filesystem::path& database = {}, const QString& cli = {}, QWidget* parent = nullptr);

  RunForm& form() { return form_; }
  Banner* banner() const { return banner_; }
  FitCard* fitCard() const { return fitCard_; }
  RowPreviewCard* rowCard() const { return rowCard_; }
  FieldEditor* field(const QString& key) const;
  void load(const run::RunConfig& config, const QString& name);
  FormFiles* files() const { return files_; }
  void setStarting(bool isStarting);
  void setTheme(const plots::PlotTheme& theme);
  // Nothing is being checked or computed.
  bool isSettled() const;

 signals:
  void dataWanted(const tidemark::run::RunConfig& config);  // look at its dataset
  void sweepWanted();  // several runs of it, with values tried for some settings
  void startWanted(const tidemark::run::RunConfig& config, const QString& name);

 protected:
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dropEvent(QDropEvent* event) override;

 private:
  QWidget* makeHeader();
  QWidget* makeFormSide();
  QWidget* makeAnswerSide();
  void connectEditing();
  void connectAnswers();
  void edit(const QString& key, const QString& text);
  void restoreForm(void (RunForm::*step)());
  void showForm();
  void showBlockers();
  void checkInputsSoon();
  void takeReport(const InputReport& report);
  bool areInputsGood() const;
  void askWhatFits();
  void startProfile();
  void askForRow(int64_t index);
  void offerPaths();

  RunForm form_;
  InputChecker checker_;
  FitAdvisor advisor_;
  ProfileRunner profiler_;
  RowPreview preview_;
  QTimer* checkTimer_;
  QTimer* fitTimer_;
  quint64 checkGeneration_ = 0, fitGeneration_ = 0, rowGeneration_ = 0, profileGeneration_ = 0;
  bool isStarting_ = false, isFitAsked_ = false, isRowAsked_ = false;
  std::shared_ptr<const fit::RowLengths> rows_;  // of the data as last checked; null: not known
  int64_t rowCount_ = 0;                         // ditto, of its file
  QStringList dataProblems_;
  RecentPaths recent_;
  Banner* banner_;
  QLineEdit* name_;
  EditingBar* editing_;
  QPushButton* start_;
  FormColumn* column_;
  FormFiles* files_;
  ConfigurationCard* configuration_;
  FitCard* fitCard_;
  RowPreviewCard* rowCard_;
  QLabel* blockers_;
  QLabel* dataNotes_;
};

}  // namespace tidemark::ui
