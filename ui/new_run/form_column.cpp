#include "ui/new_run/form_column.h"

#include <QFileInfo>
#include <QGridLayout>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <set>

#include "ui/widgets/card.h"
#include "ui/widgets/field_editor.h"

namespace tidemark::ui {
namespace {

constexpr int kColumns = 4;

// Keys that most runs leave alone: shown when asked for, or when something is wrong with one.
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

}  // namespace

FormColumn::FormColumn(const RunForm& form, QWidget* parent) : QScrollArea(parent), form_(form) {
  setObjectName(QStringLiteral("scroll"));
  setWidgetResizable(true);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setFrameShape(QFrame::NoFrame);
  auto* content = new QWidget;
  content->setObjectName(QStringLiteral("scrolled"));
  auto* column = new QVBoxLayout(content);
  column->setContentsMargins(0, 0, 4, 0);
  column->setSpacing(12);
  addGroup(column, tr("Model and data"), {QStringLiteral("model"), QStringLiteral("dataset.")});
  addGroup(column, tr("Adapter"), {QStringLiteral("peft.")});
  addGroup(column, tr("Training"), {QStringLiteral("training.")});
  addGroup(column, tr("Memory and devices"), {QStringLiteral("memory."), QStringLiteral("parallel.")});
  addGroup(column, tr("Output"), {QStringLiteral("output.")});
  column->addStretch(1);
  setWidget(content);
}

QWidget* FormColumn::makeDataButton() {
  auto* button = new QToolButton;
  button->setObjectName(QStringLiteral("lookAtData"));
  button->setProperty("link", true);
  button->setText(tr("Look at the data"));
  button->setToolTip(tr("Shows the rows as this model sees them: tokens, loss, what is cut or left out"));
  button->setAccessibleName(button->text());
  connect(button, &QToolButton::clicked, this, &FormColumn::dataWanted);
  return button;
}

FieldEditor* FormColumn::makeField(const run::KeyInfo& info) {
  auto* editor = new FieldEditor(info);
  const QString key = editor->key();
  fields_[key] = editor;
  editor->setText(form_.text(key));
  if (key == QLatin1String("dataset.train")) editor->setAction(makeDataButton());
  connect(editor, &FieldEditor::edited, this, [this, key](const QString& text) { emit edited(key, text); });
  return editor;
}

void FormColumn::addGroup(QVBoxLayout* column, const QString& title, const QStringList& prefixes) {
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
      more->setText(isShown ? FormColumn::tr("Less") : FormColumn::tr("More"));
      placeInGrid(grid, all);
    });
    for (const auto& entry : advanced) {
      entry.first->setParent(card);
      entry.first->hide();
      entry.first->setProperty("more", QVariant::fromValue<QObject*>(more));
    }
  }
  column->addWidget(card);
}

FieldEditor* FormColumn::field(const QString& key) const {
  const auto found = fields_.find(key);
  return found == fields_.end() ? nullptr : found->second;
}

void FormColumn::showText(const QString& key) {
  if (FieldEditor* editor = field(key)) editor->setText(form_.text(key));
}

void FormColumn::showRemarks() {
  for (const auto& [key, editor] : fields_) {
    const QString problem = form_.isTouched(key) ? form_.problem(key) : QString();
    editor->setProblem(problem);
    const FileCheck check = form_.fileCheck(key);
    if (check.state == FileCheck::State::Checking) editor->setRemark(tr("being checked…"));
    else editor->setRemark(check.state == FileCheck::State::Good ? check.text : QString());
    // A problem must not hide behind a button.
    auto* more = qobject_cast<QToolButton*>(editor->property("more").value<QObject*>());
    if (more && !problem.isEmpty() && !more->isChecked()) more->setChecked(true);
  }
}

}  // namespace tidemark::ui
