#include "ui/pages/new_run_page.h"

#include <QDragEnterEvent>
#include <QFileInfo>
#include <QLabel>
#include <QLineEdit>
#include <QMimeData>
#include <QPushButton>
#include <QShortcut>
#include <QTimer>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include "core/text/dataset_settings.h"
#include "core/weights/hub_cache.h"
#include "ui/new_run/configuration_card.h"
#include "ui/new_run/editing_bar.h"
#include "ui/new_run/fit_card.h"
#include "ui/new_run/form_column.h"
#include "ui/new_run/form_files.h"
#include "ui/new_run/row_preview_card.h"
#include "ui/widgets/banner.h"
#include "ui/widgets/field_editor.h"
#include "ui/widgets/path_edit.h"

namespace tidemark::ui {
namespace {

constexpr int kCheckDelayMs = 350;
constexpr int kFitDelayMs = 120;
constexpr int kProblemsShown = 5;
constexpr int kDataProblemsShown = 3;
const QString kModel = QStringLiteral("model");
const QString kTrain = QStringLiteral("dataset.train");

QString listed(const QStringList& lines, int most) {
  QStringList shown = lines.mid(0, most);
  if (lines.size() > most) shown << NewRunPage::tr("and %n more", nullptr, static_cast<int>(lines.size()) - most);
  return shown.join(QLatin1Char('\n'));
}

}  // namespace

NewRunPage::NewRunPage(const std::filesystem::path& database, const QString& cli, QWidget* parent)
    : QWidget(parent), advisor_(database), profiler_(cli), checkTimer_(new QTimer(this)), fitTimer_(new QTimer(this)),
      recent_(database.empty() ? QString() : QString::fromStdString((database.parent_path() / "recent.ini").string())), banner_(new Banner) {
  setObjectName(QStringLiteral("page"));
  setAttribute(Qt::WA_StyledBackground);
  setAcceptDrops(true);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(15, 16, 24, 16);
  layout->setSpacing(12);
  layout->addWidget(makeHeader());
  layout->addWidget(banner_);
  auto* columns = new QHBoxLayout;
  columns->setSpacing(12);
  columns->addWidget(makeFormSide(), 7);
  columns->addWidget(makeAnswerSide(), 5);
  layout->addLayout(columns, 1);
  checkTimer_->setSingleShot(true);
  checkTimer_->setInterval(kCheckDelayMs);
  fitTimer_->setSingleShot(true);
  fitTimer_->setInterval(kFitDelayMs);
  files_ = new FormFiles(form_, *banner_, this);
  connectEditing();
  connectAnswers();
  offerPaths();
  showForm();
}

void NewRunPage::offerPaths() {
  const auto recent = [this](const QString& key) { return PathEdit::Section{tr("Recent"), recent_.of(key)}; };
  static_cast<PathEdit*>(field(kModel)->editor())->setChoices([recent] {
    QStringList hub;
    for (const std::string& name : weights::listHubModels()) hub << QString::fromStdString(name);
    return std::vector<PathEdit::Section>{recent(kModel), {tr("Hugging Face cache"), hub}};
  });
  static_cast<PathEdit*>(field(kTrain)->editor())->setChoices([recent] { return std::vector<PathEdit::Section>{recent(kTrain)}; });
}

QWidget* NewRunPage::makeHeader() {
  auto* header = new QWidget;
  auto* layout = new QHBoxLayout(header);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(12);
  layout->addWidget(makeLabel(tr("New run"), "heading"));
  name_ = new QLineEdit;
  name_->setAccessibleName(tr("Name of the run"));
  name_->setToolTip(tr("Name of the run; where it is empty, one is made from the model's name"));
  name_->setMaxLength(200);
  name_->setMinimumWidth(140);
  name_->setMaximumWidth(320);
  editing_ = new EditingBar;
  auto* sweep = new QToolButton;
  sweep->setObjectName(QStringLiteral("sweep"));
  sweep->setProperty("framed", true);
  sweep->setText(tr("Sweep…"));
  sweep->setToolTip(tr("Try several values for some of these settings, one run each"));
  sweep->setAccessibleName(tr("Sweep over settings"));
  connect(sweep, &QToolButton::clicked, this, &NewRunPage::sweepWanted);
  start_ = new QPushButton(tr("Start"));
  start_->setObjectName(QStringLiteral("start"));
  start_->setProperty("primary", true);
  start_->setMinimumWidth(100);
  layout->addSpacing(12);
  layout->addWidget(makeLabel(tr("Name"), "muted"));
  layout->addWidget(name_, 2);
  layout->addStretch(1);
  layout->addWidget(editing_);
  layout->addWidget(sweep);
  layout->addWidget(start_);
  return header;
}

QWidget* NewRunPage::makeFormSide() {
  auto* side = new QWidget;
  auto* layout = new QVBoxLayout(side);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(12);
  column_ = new FormColumn(form_);
  configuration_ = new ConfigurationCard;
  layout->addWidget(column_, 1);
  layout->addWidget(configuration_);
  return side;
}

QWidget* NewRunPage::makeAnswerSide() {
  auto* side = new QWidget;
  auto* layout = new QVBoxLayout(side);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(12);
  fitCard_ = new FitCard;
  rowCard_ = new RowPreviewCard;
  auto* before = new Card(tr("Before starting"));
  blockers_ = makeLabel({}, "body");
  blockers_->setObjectName(QStringLiteral("blockers"));
  dataNotes_ = makeLabel({}, "muted");
  for (QLabel* label : {blockers_, dataNotes_}) {
    label->setWordWrap(true);
    before->body()->addWidget(label);
  }
  layout->addWidget(fitCard_);
  layout->addWidget(rowCard_, 1);
  layout->addWidget(before);
  return side;
}

void NewRunPage::connectEditing() {
  connect(name_, &QLineEdit::textChanged, &form_, &RunForm::setName);
  connect(start_, &QPushButton::clicked, this, [this] {
    banner_->clear();
    const QString name = form_.name().trimmed();
    emit startWanted(form_.config(), name.isEmpty() ? form_.suggestedName() : name);
  });
  connect(column_, &FormColumn::edited, this, &NewRunPage::edit);
  connect(files_, &FormFiles::named, this, &NewRunPage::edit);
  connect(files_, &FormFiles::loaded, this, [this](const run::RunConfig& config) { load(config, {}); });
  connect(column_, &FormColumn::dataWanted, this, [this] { emit dataWanted(form_.config()); });
  connect(&form_, &RunForm::keyChanged, column_, &FormColumn::showText);
  connect(&form_, &RunForm::changed, this, &NewRunPage::showForm);
  connect(editing_, &EditingBar::presetWanted, this, [this](const run::RunConfig& preset) {
    form_.apply(preset);
    checkInputsSoon();
  });
  const auto undo = [this] { restoreForm(&RunForm::undo); };
  const auto redo = [this] { restoreForm(&RunForm::redo); };
  connect(editing_, &EditingBar::undoWanted, this, undo);
  connect(editing_, &EditingBar::redoWanted, this, redo);
  connect(editing_, &EditingBar::openWanted, files_, &FormFiles::chooseToOpen);
  connect(editing_, &EditingBar::saveWanted, files_, &FormFiles::chooseToSave);
  // A line that is being typed in undoes its own typing first.
  connect(new QShortcut(QKeySequence::Undo, this), &QShortcut::activated, this, undo);
  connect(new QShortcut(QKeySequence::Redo, this), &QShortcut::activated, this, redo);
  connect(new QShortcut(QKeySequence::Open, this), &QShortcut::activated, this, [this] { files_->chooseToOpen(); });
  connect(new QShortcut(QKeySequence::Save, this), &QShortcut::activated, this, [this] { files_->chooseToSave(); });
}

void NewRunPage::connectAnswers() {
  connect(checkTimer_, &QTimer::timeout, this, [this] { checker_.check(checkGeneration_, form_.config()); });
  connect(&checker_, &InputChecker::checked, this, &NewRunPage::takeReport);
  connect(fitTimer_, &QTimer::timeout, this, &NewRunPage::askWhatFits);
  connect(&advisor_, &FitAdvisor::answered, this, [this](quint64 generation, const FitView& view) {
    if (generation != fitGeneration_) return;
    isFitAsked_ = false;
    fitCard_->show(view);
    if (!profiler_.isRunning()) fitCard_->setProgress(FitCard::Progress::Settled);
  });
  connect(fitCard_, &FitCard::profileWanted, this, &NewRunPage::startProfile);
  connect(fitCard_, &FitCard::stopWanted, this, [this] {
    profiler_.stop();
    fitCard_->setProgress(FitCard::Progress::Settled);
    showForm();
  });
  connect(fitCard_, &FitCard::changeWanted, this, &NewRunPage::edit);
  connect(&profiler_, &ProfileRunner::profiled, this, [this](quint64, const run::RunConfig& config, const QByteArray& lines) {
    advisor_.learn(config, lines);  // the form may have changed since: what was measured tells of other choices too
    fitCard_->setProgress(FitCard::Progress::Computing);
    showForm();
  });
  connect(&profiler_, &ProfileRunner::failed, this, [this](quint64, const QString& message) {
    fitCard_->setProgress(FitCard::Progress::Settled);
    banner_->showMessage(Banner::Severity::Error, message);
    showForm();
  });
  connect(rowCard_, &RowPreviewCard::rowWanted, this, &NewRunPage::askForRow);
  connect(&preview_, &RowPreview::previewed, this, [this](const PreviewedRow& row) {
    if (row.generation != rowGeneration_) return;
    isRowAsked_ = false;
    rowCard_->show(row, rowCount_);
  });
}

void NewRunPage::edit(const QString& key, const QString& text) {
  QString value = text;
  // Paths are written whole, so that the configuration means the same wherever it is run from.
  if ((key == kModel || key == kTrain) && QFileInfo(text).isRelative() && QFileInfo::exists(text)) value = QFileInfo(text).absoluteFilePath();
  form_.setText(key, value);
  if (key == kModel || key.startsWith(QLatin1String("dataset."))) checkInputsSoon();
}

void NewRunPage::restoreForm(void (RunForm::*step)()) {
  (form_.*step)();
  checkInputsSoon();
}

FieldEditor* NewRunPage::field(const QString& key) const { return column_->field(key); }

void NewRunPage::load(const run::RunConfig& config, const QString& name) {
  form_.load(config);
  name_->setText(name);
  checkInputsSoon();
}

void NewRunPage::setStarting(bool isStarting) {
  isStarting_ = isStarting;
  showForm();
}

void NewRunPage::setTheme(const plots::PlotTheme& theme) { rowCard_->setTheme(theme); }

bool NewRunPage::isSettled() const {
  const auto isChecking = [this](const QString& key) { return form_.fileCheck(key).state == FileCheck::State::Checking; };
  return !isChecking(kModel) && !isChecking(kTrain) && !isFitAsked_ && !isRowAsked_ && !profiler_.isRunning();
}

void NewRunPage::showForm() {
  column_->showRemarks();
  name_->setPlaceholderText(form_.suggestedName());
  configuration_->show(form_.commandLine(), form_.yaml());
  editing_->setHistory(form_.canUndo(), form_.canRedo());
  rowCard_->setLimit({form_.config().dataset.maxSeqLength, text::datasetSettings(form_.config()).truncation});
  fitCard_->setCanProfile(form_.isReady(), tr("What is listed under Before starting has to be mended first"));
  showBlockers();
  isFitAsked_ = true;
  fitTimer_->start();
}

void NewRunPage::showBlockers() {
  QStringList blockers = form_.blockers();
  start_->setEnabled(form_.isReady() && !isStarting_);
  start_->setText(isStarting_ ? tr("Starting…") : tr("Start"));
  start_->setToolTip(blockers.isEmpty() ? tr("Start the run; it goes on when this window is closed")
                                        : tr("%n thing(s) to mend first, listed under Before starting", nullptr,
                                             static_cast<int>(blockers.size())));
  for (QString& line : blockers) line.prepend(QStringLiteral("• "));
  if (blockers.isEmpty()) blockers_->setText(isStarting_ ? tr("Starting…") : tr("✓ Ready to start."));
  else blockers_->setText(listed(blockers, kProblemsShown));
  const bool hasNotes = !dataProblems_.isEmpty() && form_.fileCheck(kTrain).state == FileCheck::State::Good;
  dataNotes_->setText(hasNotes ? listed(dataProblems_, kDataProblemsShown) : QString());
  dataNotes_->setVisible(hasNotes);
}

void NewRunPage::checkInputsSoon() {
  ++checkGeneration_;
  rows_ = nullptr;
  for (const QString& key : {kModel, kTrain}) {
    const bool isGiven = !form_.text(key).trimmed().isEmpty();
    form_.setFileCheck(key, {isGiven ? FileCheck::State::Checking : FileCheck::State::Unknown, {}});
  }
  checkTimer_->start();
}

void NewRunPage::takeReport(const InputReport& report) {
  if (report.generation != checkGeneration_) return;
  if (report.key == kTrain) {
    dataProblems_ = report.problems;
    rows_ = report.rows;
    rowCount_ = report.rowCount;
    askForRow(std::min(rowCard_->index(), std::max<int64_t>(0, rowCount_ - 1)));
  }
  if (report.isGood) recent_.note(report.key, form_.text(report.key).trimmed());
  form_.setFileCheck(report.key, {report.isGood ? FileCheck::State::Good : FileCheck::State::Bad, report.summary});
}

bool NewRunPage::areInputsGood() const {
  return rows_ && form_.fileCheck(kModel).state == FileCheck::State::Good && form_.fileCheck(kTrain).state == FileCheck::State::Good;
}

void NewRunPage::askWhatFits() {
  ++fitGeneration_;
  const bool isChecking = form_.fileCheck(kModel).state == FileCheck::State::Checking || form_.fileCheck(kTrain).state == FileCheck::State::Checking;
  if (!areInputsGood()) {
    isFitAsked_ = false;
    if (!isChecking) fitCard_->show(FitView());
    if (!profiler_.isRunning()) fitCard_->setProgress(isChecking ? FitCard::Progress::Computing : FitCard::Progress::Settled);
    return;
  }
  if (!profiler_.isRunning()) fitCard_->setProgress(FitCard::Progress::Computing);
  advisor_.ask({fitGeneration_, form_.config(), rows_});
}

void NewRunPage::startProfile() {
  banner_->clear();
  fitCard_->setProgress(FitCard::Progress::Profiling);
  profiler_.start(++profileGeneration_, form_.config());
}

void NewRunPage::askForRow(int64_t index) {
  ++rowGeneration_;
  isRowAsked_ = rowCount_ > 0;
  if (isRowAsked_) preview_.ask(rowGeneration_, form_.config(), index);
  else rowCard_->clear();
}

void NewRunPage::dragEnterEvent(QDragEnterEvent* event) {
  if (event->mimeData()->hasUrls()) event->acceptProposedAction();
}

void NewRunPage::dropEvent(QDropEvent* event) {
  files_->take(event->mimeData()->urls());
  event->acceptProposedAction();
}

}  // namespace tidemark::ui
