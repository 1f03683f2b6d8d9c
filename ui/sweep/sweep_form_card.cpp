#include "ui/sweep/sweep_form_card.h"

#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QFileInfo>
#include <QGridLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QToolButton>
#include <QVBoxLayout>

#include "ui/sweep/sweep_key_row.h"
#include "ui/widgets/field_editor.h"

namespace tidemark::ui {
namespace {

using sweep::EarlyStopping;
using sweep::Mode;
using sweep::Objective;

constexpr int kProblemsShown = 5;

QSpinBox* makeSpin(const char* objectName, const QString& name, const QString& toolTip, int low, int high) {
  auto* spin = new QSpinBox;
  spin->setObjectName(QString::fromLatin1(objectName));
  spin->setAccessibleName(name);
  spin->setToolTip(toolTip);
  spin->setRange(low, high);
  return spin;
}

QComboBox* makeCombo(const char* objectName, const QString& name, const QString& toolTip, const QStringList& items) {
  auto* combo = new QComboBox;
  combo->setObjectName(QString::fromLatin1(objectName));
  combo->setAccessibleName(name);
  combo->setToolTip(toolTip);
  combo->addItems(items);
  return combo;
}

// A label above an editor.
QWidget* labelled(const QString& label, QWidget* editor) {
  auto* widget = new QWidget;
  auto* layout = new QVBoxLayout(widget);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(4);
  auto* text = makeLabel(label, "muted");
  text->setBuddy(editor);
  text->setToolTip(editor->toolTip());
  layout->addWidget(text);
  layout->addWidget(editor);
  layout->addStretch(1);
  return widget;
}

QString fileName(const std::string& path) {
  const QString name = QFileInfo(QString::fromStdString(path)).fileName();
  return name.isEmpty() ? SweepFormCard::tr("not chosen") : name;
}

}  // namespace

SweepFormCard::SweepFormCard(QWidget* parent) : Card(tr("New sweep"), parent) {
  body()->setSpacing(10);
  for (QWidget* part : {makeBase(), makeKeys(), makeOptions()}) body()->addWidget(part);
  body()->addStretch(1);
  body()->addWidget(makeFoot());
  connectOptions();
  connect(&form_, &SweepForm::rowsChanged, this, &SweepFormCard::fillRows);
  connect(&form_, &SweepForm::changed, this, &SweepFormCard::showForm);
  fillRows();
  showForm();
}

QWidget* SweepFormCard::makeBase() {
  auto* widget = new QWidget;
  auto* layout = new QVBoxLayout(widget);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(4);
  auto* line = new QHBoxLayout;
  line->addWidget(makeLabel(tr("What the runs share"), "muted"));
  line->addStretch(1);
  auto* change = new QToolButton;
  change->setObjectName(QStringLiteral("changeBase"));
  change->setProperty("link", true);
  change->setText(tr("Change it in New run"));
  change->setAccessibleName(change->text());
  change->setToolTip(tr("The settings of the New run page are those of every run, but for the ones that are varied here"));
  connect(change, &QToolButton::clicked, this, &SweepFormCard::baseWanted);
  line->addWidget(change);
  layout->addLayout(line);
  base_ = makeLabel({}, "body");
  base_->setObjectName(QStringLiteral("sweepBase"));
  base_->setWordWrap(true);
  layout->addWidget(base_);
  name_ = new QLineEdit;
  name_->setObjectName(QStringLiteral("sweepName"));
  name_->setAccessibleName(tr("Name of the sweep"));
  name_->setToolTip(tr("Its runs are named after it, with their number and settings"));
  name_->setMaxLength(120);
  name_->setPlaceholderText(tr("sweep"));
  layout->addSpacing(6);
  layout->addWidget(labelled(tr("Name"), name_));
  return widget;
}

QWidget* SweepFormCard::makeKeys() {
  auto* widget = new QWidget;
  auto* layout = new QVBoxLayout(widget);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(6);
  layout->addWidget(makeLabel(tr("What is varied"), "muted"));
  rowsLayout_ = new QVBoxLayout;
  rowsLayout_->setSpacing(6);
  layout->addLayout(rowsLayout_);
  auto* add = new QToolButton;
  add->setObjectName(QStringLiteral("addKey"));
  add->setProperty("framed", true);
  add->setText(tr("Add a setting"));
  add->setAccessibleName(add->text());
  add->setToolTip(tr("Vary one more key of the configuration"));
  connect(add, &QToolButton::clicked, this, [this] { form_.addRow(); });
  layout->addWidget(add, 0, Qt::AlignLeft);
  return widget;
}

QWidget* SweepFormCard::makeOptions() {
  mode_ = makeCombo("sweepMode", tr("Combinations"), tr("All of them, or as many as you like, drawn at random"), {tr("every combination"), tr("random ones")});
  count_ = makeSpin("sweepCount", tr("How many random combinations"), tr("Random combinations only: how many are drawn"), 1, 10'000);
  seeds_ = makeSpin("sweepSeeds", tr("Seeds for each"), tr("Runs of each combination, which differ in the seed only; Compare shows their mean and spread"), 1, 100);
  atOnce_ = makeSpin("sweepAtOnce", tr("Runs at the same time"), tr("Each has its own ranks and its own memory budget"), 1, 64);
  objective_ = makeCombo("sweepObjective", tr("Best by"), tr("How runs are compared: the last evaluation, the mean loss of the last ten steps, or their speed"),
                         {tr("evaluation loss"), tr("training loss"), tr("tokens per second")});
  rule_ = makeCombo("sweepRule", tr("Stop early"),
                    tr("Ends runs that are clearly worse, with a checkpoint. Median: worse than the median of the finished runs at the same step. "
                       "Halving: at each rung the better half goes on"),
                    {tr("never"), tr("worse than the median"), tr("successive halving")});
  after_ = makeSpin("sweepAfter", tr("Not before step"), tr("Steps before which no run is stopped early; the first rung of successive halving"), 1, 1'000'000'000);
  auto* widget = new QWidget;
  auto* grid = new QGridLayout(widget);
  grid->setContentsMargins(0, 0, 0, 0);
  grid->setHorizontalSpacing(12);
  grid->setVerticalSpacing(8);
  const std::pair<QString, QWidget*> cells[] = {{tr("Combinations"), mode_}, {tr("How many"), count_},        {tr("Seeds for each"), seeds_},
                                                {tr("Best by"), objective_}, {tr("Runs at once"), atOnce_},   {QString(), nullptr},
                                                {tr("Stop early"), rule_},   {tr("Not before step"), after_}, {QString(), nullptr}};
  int cell = 0;
  for (const auto& [label, editor] : cells) {
    if (editor) grid->addWidget(labelled(label, editor), cell / 3, cell % 3);
    ++cell;
  }
  for (int column = 0; column < 3; ++column) grid->setColumnStretch(column, column == 0 ? 3 : 2);
  return widget;
}

QWidget* SweepFormCard::makeFoot() {
  auto* widget = new QWidget;
  auto* layout = new QVBoxLayout(widget);
  layout->setContentsMargins(0, 0, 0, 0);
  summary_ = makeLabel({}, "body");
  summary_->setObjectName(QStringLiteral("sweepSummary"));
  summary_->setWordWrap(true);
  layout->addWidget(summary_);
  auto* line = new QHBoxLayout;
  auto* copy = new QToolButton;
  copy->setProperty("framed", true);
  copy->setText(tr("Copy YAML"));
  copy->setAccessibleName(tr("Copy the sweep's file"));
  copy->setToolTip(tr("The file that tidemark-cli sweep takes, with everything written out"));
  connect(copy, &QToolButton::clicked, this, [this] { QApplication::clipboard()->setText(QString::fromStdString(sweep::toYaml(form_.sweep()))); });
  start_ = new QPushButton(tr("Start the sweep"));
  start_->setObjectName(QStringLiteral("startSweep"));
  start_->setProperty("primary", true);
  connect(start_, &QPushButton::clicked, this, [this] {
    sweep::Sweep sweep = form_.sweep();
    if (sweep.name.empty()) sweep.name = tr("sweep").toStdString();
    emit startWanted(sweep);
  });
  line->addWidget(copy);
  line->addStretch(1);
  line->addWidget(start_);
  layout->addLayout(line);
  return widget;
}

void SweepFormCard::connectOptions() {
  connect(name_, &QLineEdit::textChanged, &form_, &SweepForm::setName);
  connect(mode_, &QComboBox::currentIndexChanged, this, [this](int index) { form_.setMode(index == 0 ? Mode::Grid : Mode::Random); });
  connect(count_, &QSpinBox::valueChanged, &form_, &SweepForm::setCount);
  connect(seeds_, &QSpinBox::valueChanged, &form_, &SweepForm::setSeeds);
  connect(atOnce_, &QSpinBox::valueChanged, &form_, &SweepForm::setAtOnce);
  connect(objective_, &QComboBox::currentIndexChanged, this, [this](int index) {
    constexpr Objective kAll[] = {Objective::EvalLoss, Objective::Loss, Objective::TokensPerSecond};
    form_.setObjective(kAll[std::max(0, index)]);
  });
  const auto takeStopping = [this] {
    constexpr EarlyStopping::Rule kAll[] = {EarlyStopping::Rule::None, EarlyStopping::Rule::Median, EarlyStopping::Rule::Halving};
    EarlyStopping stopping = form_.sweep().stopping;
    stopping.rule = kAll[std::max(0, rule_->currentIndex())];
    stopping.after = after_->value();
    form_.setStopping(stopping);
  };
  connect(rule_, &QComboBox::currentIndexChanged, this, takeStopping);
  connect(after_, &QSpinBox::valueChanged, this, takeStopping);
}

void SweepFormCard::fillRows() {
  while (rows_.size() > form_.rows().size()) {
    rows_.back()->deleteLater();
    rows_.back()->hide();
    rows_.pop_back();
  }
  while (rows_.size() < form_.rows().size()) {
    auto* row = new SweepKeyRow;
    const std::size_t index = rows_.size();
    connect(row, &SweepKeyRow::edited, this, [this, row, index] { form_.setRow(index, row->row()); });
    // Queued: the row must not go inside its own signal.
    connect(row, &SweepKeyRow::removeWanted, this, [this, index] { form_.removeRow(index); }, Qt::QueuedConnection);
    rowsLayout_->addWidget(row);
    rows_.push_back(row);
  }
  for (std::size_t i = 0; i < rows_.size(); ++i) rows_[i]->setRow(form_.rows()[i]);
}

void SweepFormCard::setStarting(bool isStarting) {
  isStarting_ = isStarting;
  showForm();
}

void SweepFormCard::showForm() {
  const run::RunConfig& base = form_.base();
  base_->setText(tr("%1 · %2 · %3 · %4").arg(fileName(base.model), fileName(base.dataset.train), tr("%n step(s)", nullptr, static_cast<int>(base.training.maxSteps)),
                                             tr("%n rank(s)", nullptr, static_cast<int>(base.parallel.ranks))));
  for (std::size_t i = 0; i < rows_.size(); ++i) rows_[i]->setProblem(form_.rowProblem(i));
  const bool isRandom = form_.sweep().mode == Mode::Random;
  const QSignalBlocker blockers[] = {QSignalBlocker(mode_), QSignalBlocker(count_), QSignalBlocker(after_)};
  mode_->setCurrentIndex(isRandom ? 1 : 0);
  count_->setEnabled(isRandom);
  if (isRandom) count_->setValue(static_cast<int>(form_.sweep().count));
  after_->setEnabled(form_.sweep().stopping.rule != EarlyStopping::Rule::None);
  if (form_.sweep().stopping.after > 0) after_->setValue(static_cast<int>(form_.sweep().stopping.after));
  start_->setEnabled(form_.isReady() && !isStarting_);
  start_->setText(isStarting_ ? tr("Starting…") : tr("Start the sweep"));
  start_->setToolTip(form_.isReady() ? tr("Runs one after the other; they go on when this window is closed") : tr("First mend what is listed above"));
  if (form_.isReady()) return summary_->setText(tr("✓ %n run(s); %1.", nullptr, static_cast<int>(form_.runCount())).arg(form_.timeText()));
  QStringList lines = form_.problems().mid(0, kProblemsShown);
  for (QString& line : lines) line.prepend(QStringLiteral("• "));
  if (form_.problems().size() > kProblemsShown) lines << tr("and %n more", nullptr, static_cast<int>(form_.problems().size()) - kProblemsShown);
  summary_->setText(lines.join(QLatin1Char('\n')));
}

}  // namespace tidemark::ui
