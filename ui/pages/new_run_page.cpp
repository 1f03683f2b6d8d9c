#include "ui/pages/new_run_page.h"

#include <QApplication>
#include <QClipboard>
#include <QDir>
#include <QDragEnterEvent>
#include <QFileInfo>
#include <QGridLayout>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QMimeData>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QShortcut>
#include <QTimer>
#include <QToolButton>
#include <algorithm>
#include <set>

#include "ui/models/presets.h"
#include "ui/widgets/banner.h"
#include "ui/widgets/card.h"
#include "ui/widgets/field_editor.h"

namespace tidemark::ui {
namespace {

constexpr int kCheckDelayMs = 350;
constexpr int kColumns = 4;
constexpr int kProblemsShown = 6;
const QString kModel = QStringLiteral("model");
const QString kTrain = QStringLiteral("dataset.train");

// Keys that most runs leave alone: shown when asked for.
bool isAdvanced(const QString& key) {
  static const std::set<QString> keys{
      QStringLiteral("peft.type"), QStringLiteral("training.adam_beta1"), QStringLiteral("training.adam_beta2"),
      QStringLiteral("training.adam_epsilon"), QStringLiteral("training.optim"), QStringLiteral("training.dtype"),
      QStringLiteral("training.weight_decay"), QStringLiteral("training.max_grad_norm"), QStringLiteral("parallel.backend"),
      QStringLiteral("parallel.master_port"), QStringLiteral("dataset.truncation"), QStringLiteral("dataset.format")};
  return keys.count(key) > 0;
}

int spanOf(const run::KeyInfo& info) { return info.kind == run::KeyInfo::Kind::Path ? 2 : 1; }

// Places widgets row by row over kColumns columns, again whenever some are shown or hidden.
void placeInGrid(QGridLayout* grid, const std::vector<std::pair<QWidget*, int>>& widgets) {
  int row = 0, column = 0;
  for (const auto& [widget, span] : widgets) {
    if (widget->isHidden()) continue;
    if (column + span > kColumns) {
      ++row;
      column = 0;
    }
    grid->addWidget(widget, row, column, 1, span);
    column += span;
  }
}

QToolButton* makeCopyButton(const QString& text, const QString& toolTip) {
  auto* button = new QToolButton;
  button->setText(text);
  button->setToolTip(toolTip);
  button->setAccessibleName(toolTip);
  return button;
}

}  // namespace

NewRunPage::NewRunPage(QWidget* parent) : QWidget(parent), checkTimer_(new QTimer(this)), banner_(new Banner) {
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
  columns->addWidget(makeFormColumn(), 7);
  columns->addWidget(makeSideColumn(), 4);
  layout->addLayout(columns, 1);

  checkTimer_->setSingleShot(true);
  checkTimer_->setInterval(kCheckDelayMs);
  connect(checkTimer_, &QTimer::timeout, this, [this] { checker_.check(checkGeneration_, form_.config()); });
  connect(&checker_, &InputChecker::checked, this, &NewRunPage::takeReport);
  connect(&form_, &RunForm::keyChanged, this, [this](const QString& key) {
    if (fields_.count(key)) fields_[key]->setText(form_.text(key));
  });
  connect(&form_, &RunForm::changed, this, &NewRunPage::showForm);
  showForm();
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
  name_->setFixedWidth(320);
  layout->addSpacing(12);
  layout->addWidget(makeLabel(tr("Name"), "muted"));
  layout->addWidget(name_);
  layout->addStretch(1);
  addEditing(layout);
  start_ = new QPushButton(tr("Start"));
  start_->setObjectName(QStringLiteral("start"));
  start_->setProperty("primary", true);
  start_->setMinimumWidth(100);
  layout->addWidget(start_);
  connect(name_, &QLineEdit::textChanged, &form_, &RunForm::setName);
  connect(start_, &QPushButton::clicked, this, [this] {
    banner_->clear();
    const QString name = form_.name().trimmed();
    emit startWanted(form_.config(), name.isEmpty() ? form_.suggestedName() : name);
  });
  return header;
}

void NewRunPage::addEditing(QHBoxLayout* header) {
  auto* preset = new QToolButton;
  preset->setObjectName(QStringLiteral("preset"));
  preset->setText(tr("Preset…"));
  preset->setToolTip(tr("Settings to begin with; model and data stay"));
  preset->setAccessibleName(tr("Preset"));
  preset->setPopupMode(QToolButton::InstantPopup);
  auto* menu = new QMenu(preset);
  menu->setToolTipsVisible(true);
  for (const Preset& entry : presets()) {
    QAction* action = menu->addAction(entry.name);
    action->setToolTip(entry.help);
    connect(action, &QAction::triggered, this, [this, config = entry.config] {
      form_.apply(config);
      checkInputsSoon();
    });
  }
  preset->setMenu(menu);
  undo_ = new QToolButton;
  undo_->setText(tr("Undo"));
  undo_->setToolTip(tr("Take the last change of the form back (Ctrl+Z)"));
  redo_ = new QToolButton;
  redo_->setText(tr("Redo"));
  redo_->setToolTip(tr("Make the change again (Ctrl+Shift+Z)"));
  for (QToolButton* button : {preset, undo_, redo_}) {
    button->setProperty("framed", true);
    header->addWidget(button);
  }
  undo_->setAccessibleName(undo_->text());
  redo_->setAccessibleName(redo_->text());
  connect(undo_, &QToolButton::clicked, this, [this] { restoreForm(&RunForm::undo); });
  connect(redo_, &QToolButton::clicked, this, [this] { restoreForm(&RunForm::redo); });
  // A line that is being typed in undoes its own typing first.
  connect(new QShortcut(QKeySequence::Undo, this), &QShortcut::activated, undo_, &QToolButton::click);
  connect(new QShortcut(QKeySequence::Redo, this), &QShortcut::activated, redo_, &QToolButton::click);
}

void NewRunPage::restoreForm(void (RunForm::*step)()) {
  (form_.*step)();
  checkInputsSoon();
}

QWidget* NewRunPage::makeFormColumn() {
  auto* scroll = new QScrollArea;
  scroll->setObjectName(QStringLiteral("scroll"));
  scroll->setWidgetResizable(true);
  scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  scroll->setFrameShape(QFrame::NoFrame);
  auto* content = new QWidget;
  content->setObjectName(QStringLiteral("scrolled"));
  auto* column = new QVBoxLayout(content);
  column->setContentsMargins(0, 0, 4, 0);
  column->setSpacing(12);
  addGroup(column, tr("Model and data"), {kModel, QStringLiteral("dataset.")});
  addGroup(column, tr("Adapter"), {QStringLiteral("peft.")});
  addGroup(column, tr("Training"), {QStringLiteral("training.")});
  addGroup(column, tr("Memory and devices"), {QStringLiteral("memory."), QStringLiteral("parallel.")});
  addGroup(column, tr("Output"), {QStringLiteral("output.")});
  column->addStretch(1);
  scroll->setWidget(content);
  return scroll;
}

QWidget* NewRunPage::makeDataButton() {
  auto* button = new QToolButton;
  button->setObjectName(QStringLiteral("lookAtData"));
  button->setProperty("link", true);
  button->setText(tr("Look at the data"));
  button->setToolTip(tr("Shows the rows as this model sees them: tokens, loss, what is cut or left out"));
  button->setAccessibleName(button->text());
  connect(button, &QToolButton::clicked, this, [this] { emit dataWanted(form_.config()); });
  return button;
}

FieldEditor* NewRunPage::makeField(const run::KeyInfo& info) {
  auto* editor = new FieldEditor(info);
  const QString key = editor->key();
  fields_[key] = editor;
  editor->setText(form_.text(key));
  if (key == kTrain) editor->setAction(makeDataButton());
  connect(editor, &FieldEditor::edited, this, [this, key](const QString& text) {
    QString value = text;
    // Paths are written whole, so that the configuration means the same wherever it is run from.
    if ((key == kModel || key == kTrain) && QFileInfo(text).isRelative() && QFileInfo::exists(text)) {
      value = QFileInfo(text).absoluteFilePath();
    }
    form_.setText(key, value);
    if (key == kModel || key.startsWith(QLatin1String("dataset."))) checkInputsSoon();
  });
  return editor;
}

void NewRunPage::addGroup(QVBoxLayout* column, const QString& title, const QStringList& prefixes) {
  auto* card = new Card(title);
  auto* grid = new QGridLayout;
  grid->setHorizontalSpacing(14);
  grid->setVerticalSpacing(10);
  for (int i = 0; i < kColumns; ++i) grid->setColumnStretch(i, 1);
  card->body()->addLayout(grid);
  std::vector<std::pair<QWidget*, int>> widgets, advanced;
  for (const run::KeyInfo& info : run::configKeys()) {
    const QString key = QString::fromStdString(info.key);
    const bool isHere = std::any_of(prefixes.begin(), prefixes.end(), [&](const QString& p) { return key.startsWith(p); });
    if (!isHere) continue;
    FieldEditor* editor = makeField(info);
    (isAdvanced(key) ? advanced : widgets).emplace_back(editor, spanOf(info));
    editor->setVisible(!isAdvanced(key));
  }
  placeInGrid(grid, widgets);
  if (!advanced.empty()) {
    auto* more = new QToolButton;
    more->setCheckable(true);
    more->setText(tr("More"));
    more->setToolTip(tr("Show the settings that most runs leave alone"));
    more->setAccessibleName(tr("More settings: %1").arg(title));
    card->header()->addWidget(more);
    std::vector<std::pair<QWidget*, int>> all = widgets;
    all.insert(all.end(), advanced.begin(), advanced.end());
    connect(more, &QToolButton::toggled, this, [grid, all, advanced, more](bool isShown) {
      for (const auto& entry : advanced) entry.first->setVisible(isShown);
      more->setText(isShown ? NewRunPage::tr("Less") : NewRunPage::tr("More"));
      placeInGrid(grid, all);
    });
    for (const auto& entry : advanced) entry.first->setParent(card);
    for (const auto& entry : advanced) entry.first->hide();
  }
  column->addWidget(card);
}

QWidget* NewRunPage::makeSideColumn() {
  auto* side = new QWidget;
  auto* column = new QVBoxLayout(side);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(12);

  auto* files = new Card(tr("What the files hold"));
  modelSummary_ = makeLabel({}, "body");
  dataSummary_ = makeLabel({}, "body");
  dataProblems_ = makeLabel({}, "muted");
  files->body()->addWidget(makeLabel(tr("Model"), "muted"));
  files->body()->addWidget(modelSummary_);
  files->body()->addWidget(makeLabel(tr("Training data"), "muted"));
  files->body()->addWidget(dataSummary_);
  files->body()->addWidget(dataProblems_);
  column->addWidget(files);

  auto* same = new Card(tr("Same as"));
  command_ = makeLabel({}, "body");
  command_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
  QToolButton* copyCommand = makeCopyButton(tr("Copy command"), tr("Copy the command line"));
  QToolButton* copyYaml = makeCopyButton(tr("Copy YAML"), tr("Copy the configuration"));
  same->header()->addWidget(copyCommand);
  same->header()->addWidget(copyYaml);
  yaml_ = new QPlainTextEdit;
  yaml_->setReadOnly(true);
  yaml_->setProperty("code", true);
  yaml_->setAccessibleName(tr("Configuration as YAML"));
  yaml_->setLineWrapMode(QPlainTextEdit::NoWrap);
  yaml_->setTabChangesFocus(true);
  same->body()->addWidget(command_);
  same->body()->addWidget(yaml_, 1);
  column->addWidget(same, 1);
  connect(copyCommand, &QToolButton::clicked, this, [this] { QApplication::clipboard()->setText(form_.commandLine()); });
  connect(copyYaml, &QToolButton::clicked, this, [this] { QApplication::clipboard()->setText(form_.yaml()); });

  auto* before = new Card(tr("Before starting"));
  blockers_ = makeLabel({}, "body");
  blockers_->setObjectName(QStringLiteral("blockers"));
  before->body()->addWidget(blockers_);
  column->addWidget(before);
  for (QLabel* label : {modelSummary_, dataSummary_, dataProblems_, command_, blockers_}) label->setWordWrap(true);
  return side;
}

FieldEditor* NewRunPage::field(const QString& key) const {
  const auto found = fields_.find(key);
  return found == fields_.end() ? nullptr : found->second;
}

void NewRunPage::load(const run::RunConfig& config, const QString& name) {
  form_.load(config);
  name_->setText(name);
  checkInputsSoon();
}

void NewRunPage::setStarting(bool isStarting) {
  isStarting_ = isStarting;
  showForm();
}

void NewRunPage::showForm() {
  for (const auto& entry : fields_) showField(entry.first);
  showConfiguration();
  undo_->setEnabled(form_.canUndo());
  redo_->setEnabled(form_.canRedo());
  const QStringList blockers = form_.blockers();
  start_->setEnabled(form_.isReady() && !isStarting_);
  start_->setText(isStarting_ ? tr("Starting…") : tr("Start"));
  start_->setToolTip(blockers.isEmpty() ? tr("Start the run; it goes on when this window is closed")
                                        : tr("%n thing(s) to mend first, listed under Before starting", nullptr,
                                             static_cast<int>(blockers.size())));
  if (blockers.isEmpty()) {
    blockers_->setText(isStarting_ ? tr("Starting…") : tr("✓ Ready to start."));
  } else {
    QStringList shown = blockers.mid(0, kProblemsShown);
    for (QString& line : shown) line.prepend(QStringLiteral("• "));
    if (blockers.size() > kProblemsShown) shown << tr("and %n more", nullptr, static_cast<int>(blockers.size()) - kProblemsShown);
    blockers_->setText(shown.join(QLatin1Char('\n')));
  }
}

void NewRunPage::showField(const QString& key) {
  FieldEditor* editor = fields_[key];
  editor->setProblem(form_.isTouched(key) ? form_.problem(key) : QString());
  const FileCheck check = form_.fileCheck(key);
  if (check.state == FileCheck::State::Checking) editor->setRemark(tr("being checked…"));
  else editor->setRemark(check.state == FileCheck::State::Good ? check.text : QString());
}

void NewRunPage::showConfiguration() {
  const auto summary = [this](const QString& key) {
    const FileCheck check = form_.fileCheck(key);
    switch (check.state) {
      case FileCheck::State::Unknown: return tr("not chosen yet; a file can be dropped here");
      case FileCheck::State::Checking: return tr("being checked…");
      case FileCheck::State::Good: return check.text;
      case FileCheck::State::Bad: return tr("✕ %1").arg(check.text);
    }
    return QString();
  };
  modelSummary_->setText(summary(kModel));
  dataSummary_->setText(summary(kTrain));
  dataProblems_->setVisible(!dataProblems_->text().isEmpty() && form_.fileCheck(kTrain).state == FileCheck::State::Good);
  name_->setPlaceholderText(form_.suggestedName());
  command_->setText(form_.commandLine());
  if (const QString yaml = form_.yaml(); yaml != yaml_->toPlainText()) yaml_->setPlainText(yaml);
}

void NewRunPage::checkInputsSoon() {
  ++checkGeneration_;
  for (const QString& key : {kModel, kTrain}) {
    const bool isGiven = !form_.text(key).trimmed().isEmpty();
    form_.setFileCheck(key, {isGiven ? FileCheck::State::Checking : FileCheck::State::Unknown, {}});
  }
  checkTimer_->start();
}

void NewRunPage::takeReport(const InputReport& report) {
  if (report.generation != checkGeneration_) return;
  if (report.key == kTrain) {
    QStringList lines = report.problems.mid(0, kProblemsShown);
    if (report.problems.size() > kProblemsShown) {
      lines << tr("and %n more", nullptr, static_cast<int>(report.problems.size()) - kProblemsShown);
    }
    dataProblems_->setText(lines.join(QLatin1Char('\n')));
  }
  form_.setFileCheck(report.key, {report.isGood ? FileCheck::State::Good : FileCheck::State::Bad, report.summary});
}

void NewRunPage::dragEnterEvent(QDragEnterEvent* event) {
  if (event->mimeData()->hasUrls()) event->acceptProposedAction();
}

void NewRunPage::loadFile(const QString& path) {
  const auto parsed = run::loadConfig(path.toStdString(), {});
  const auto refuse = [this](const std::string& why) {
    banner_->showMessage(Banner::Severity::Error, tr("%1\nThe form stays as it was.").arg(QString::fromStdString(why)));
  };
  if (!parsed.ok()) return refuse(parsed.error().message());
  // A problem without a key: the text as a whole could not be read.
  if (!parsed->problems.empty() && parsed->problems.front().key.empty()) {
    return refuse(path.toStdString() + ": " + parsed->problems.front().what);
  }
  banner_->clear();
  load(parsed->config, {});
  if (parsed->problems.empty()) return;
  QStringList lines{tr("Not all of %1 could be taken:").arg(path)};
  for (const run::ConfigProblem& problem : parsed->problems) {
    lines << QString::fromStdString(problem.key) + QStringLiteral(": ") + QString::fromStdString(problem.what);
  }
  banner_->showMessage(Banner::Severity::Warning, lines.join(QLatin1Char('\n')));
}

// A model is a folder or ends in .gguf, a configuration in .yaml; all else that is dropped on the page is data.
void NewRunPage::dropEvent(QDropEvent* event) {
  for (const QUrl& url : event->mimeData()->urls()) {
    if (!url.isLocalFile()) continue;
    const QFileInfo file(url.toLocalFile());
    if (const QString suffix = file.suffix().toLower(); suffix == QLatin1String("yaml") || suffix == QLatin1String("yml")) {
      loadFile(file.absoluteFilePath());
      continue;
    }
    const bool isModel = file.isDir() || file.suffix().toLower() == QLatin1String("gguf");
    form_.setText(isModel ? kModel : kTrain, file.absoluteFilePath());
    checkInputsSoon();
  }
  event->acceptProposedAction();
}

}  // namespace tidemark::ui
