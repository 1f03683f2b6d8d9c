#include "ui/widgets/field_editor.h"

#include <QCheckBox>
#include <QComboBox>
#include <QCoreApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QSignalBlocker>
#include <QStyle>
#include <QVBoxLayout>

#include "ui/widgets/card.h"
#include "ui/widgets/path_edit.h"

namespace tidemark::ui {
namespace {

using Kind = run::KeyInfo::Kind;

QString translated(const std::string& text) { return QCoreApplication::translate("tidemark::run::KeyInfo", text.c_str()); }

PathEdit* makePathEdit(const run::KeyInfo& key) {
  if (key.key == "model") {
    return new PathEdit(PathEdit::Accepts::FileOrFolder, FieldEditor::tr("Models (*.gguf);;All files (*)"));
  }
  if (key.key == "output.dir") return new PathEdit(PathEdit::Accepts::Folder, {});
  return new PathEdit(PathEdit::Accepts::File, FieldEditor::tr("Data (*.jsonl *.json);;All files (*)"));
}

}  // namespace

QString labelOf(const run::KeyInfo& key) { return translated(key.label); }

FieldEditor::FieldEditor(const run::KeyInfo& key, QWidget* parent)
    : QWidget(parent), key_(QString::fromStdString(key.key)), kind_(key.kind), top_(new QHBoxLayout),
      label_(makeLabel({}, "muted")), message_(makeLabel({}, "muted")) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(4);
  makeEditor(key);
  const bool namesUnit = !key.unit.empty() && key.unit != "bytes" && key.kind != Kind::Boolean && 
                         !labelOf(key).contains(translated(key.unit), Qt::CaseInsensitive);
  label_->setText(namesUnit ? tr("%1, %2").arg(labelOf(key), translated(key.unit)) : labelOf(key));
  label_->setBuddy(editor_);
  top_->addWidget(label_);
  top_->addStretch(1);
  layout->addLayout(top_);
  layout->addWidget(editor_);
  layout->addWidget(message_);
  layout->addStretch(1);
  message_->setWordWrap(true);
  message_->setObjectName(QStringLiteral("message"));
  const QString unit = key.unit.empty() ? QString() : tr(" Unit: %1.").arg(translated(key.unit));
  const QString toolTip = translated(key.help) + unit + tr(" Default: %1.").arg(QString::fromStdString(key.defaultValue)) +
                          QStringLiteral("\n") + key_;
  for (QWidget* widget : {static_cast<QWidget*>(label_), editor_}) widget->setToolTip(toolTip);
  QWidget* named = editor_->focusProxy() ? editor_->focusProxy() : editor_;
  named->setAccessibleName(label_->text());
  named->setAccessibleDescription(translated(key.help));
  named->setObjectName(key_);
  showMessage();
}

void FieldEditor::makeEditor(const run::KeyInfo& key) {
  switch (key.kind) {
    case Kind::Choice:
    case Kind::List: {
      auto* combo = new QComboBox;
      for (const std::string& choice : key.choices) combo->addItem(QString::fromStdString(choice));
      combo->setEditable(key.kind == Kind::List);
      combo->setInsertPolicy(QComboBox::NoInsert);
      combo->setMinimumContentsLength(4);
      combo->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
      connect(combo, &QComboBox::currentTextChanged, this, &FieldEditor::edited);
      editor_ = combo;
      return;
    }
    case Kind::Boolean: {
      auto* box = new QCheckBox(tr("on"));
      connect(box, &QCheckBox::toggled, this, [this] { emit edited(text()); });
      editor_ = box;
      return;
    }
    case Kind::Path: {
      PathEdit* path = makePathEdit(key);
      connect(path, &PathEdit::textChanged, this, &FieldEditor::edited);
      editor_ = path;
      return;
    }
    default: {
      auto* line = new QLineEdit;
      connect(line, &QLineEdit::textChanged, this, &FieldEditor::edited);
      editor_ = line;
    }
  }
}

QString FieldEditor::text() const {
  if (auto* combo = qobject_cast<QComboBox*>(editor_)) return combo->currentText();
  if (auto* box = qobject_cast<QCheckBox*>(editor_)) return box->isChecked() ? QStringLiteral("true") : QStringLiteral("false");
  if (auto* path = qobject_cast<PathEdit*>(editor_)) return path->text();
  return static_cast<QLineEdit*>(editor_)->text();
}

void FieldEditor::setText(const QString& text) {
  if (text == this->text()) return;
  const QSignalBlocker blocker(this);
  if (auto* combo = qobject_cast<QComboBox*>(editor_)) {
    combo->setCurrentText(text);
  } else if (auto* box = qobject_cast<QCheckBox*>(editor_)) {
    box->setChecked(text == QLatin1String("true"));
  } else if (auto* path = qobject_cast<PathEdit*>(editor_)) {
    path->setText(text);
  } else {
    static_cast<QLineEdit*>(editor_)->setText(text);
  }
}

void FieldEditor::setProblem(const QString& problem) {
  if (problem == problem_) return;
  problem_ = problem;
  showMessage();
}

void FieldEditor::setRemark(const QString& remark) {
  if (remark == remark_) return;
  remark_ = remark;
  showMessage();
}

void FieldEditor::setAction(QWidget* action) {
  label_->ensurePolished();
  action->setFixedHeight(label_->sizeHint().height());  // the editor stays level with those beside it
  top_->addWidget(action);
}

QString FieldEditor::message() const { return message_->text(); }

void FieldEditor::showMessage() {
  const bool isProblem = !problem_.isEmpty();
  message_->setText(isProblem ? problem_ : remark_);
  message_->setVisible(!message_->text().isEmpty());
  message_->setProperty("role", isProblem ? QStringLiteral("error") : QStringLiteral("muted"));
  QWidget* framed = editor_->focusProxy() ? editor_->focusProxy() : editor_;
  framed->setProperty("invalid", isProblem);
  for (QWidget* widget : {static_cast<QWidget*>(message_), framed}) {
    widget->style()->unpolish(widget);
    widget->style()->polish(widget);
  }
}

}  // namespace tidemark::ui
