#include "ui/models/run_form.h"

#include <QFileInfo>
#include <QRegularExpression>
#include <utility>

#include "ui/models/presets.h"
#include "ui/widgets/field_editor.h"

namespace tidemark::ui {
namespace {

const QString kModel = QStringLiteral("model");
const QString kTrain = QStringLiteral("dataset.train");

QString labelFor(const QString& key) {
  for (const run::KeyInfo& info : run::configKeys()) {
    if (QString::fromStdString(info.key) == key) return labelOf(info);
  }
  return key;
}

}  // namespace

QString shellQuoted(const QString& word) {
  static const QRegularExpression plain(QStringLiteral("^[A-Za-z0-9_@%+=:,./-]+$"));
  if (plain.match(word).hasMatch()) return word;
  QString quoted = word;
  quoted.replace(QLatin1Char('\''), QLatin1String("'\\''"));
  return QLatin1Char('\'') + quoted + QLatin1Char('\'');
}

RunForm::RunForm(QObject* parent) : QObject(parent) {
  for (const auto& [key, value] : run::flatten(run::RunConfig{})) {
    texts_[QString::fromStdString(key)] = QString::fromStdString(value);
  }
  evaluate();
}

QString RunForm::text(const QString& key) const {
  const auto found = texts_.find(key);
  return found == texts_.end() ? QString() : found->second;
}

void RunForm::setText(const QString& key, const QString& text) {
  if (texts_[key] == text && touched_.count(key)) return;
  if (texts_[key] != text) history_.note(texts_, key);
  texts_[key] = text;
  touched_[key] = true;
  if (key == kModel || key == kTrain) checks_[key] = {};
  evaluate();
  emit keyChanged(key);
  emit changed();
}

void RunForm::setName(const QString& name) {
  if (name == name_) return;
  name_ = name;
  emit changed();
}

QString RunForm::suggestedName() const {
  const QString model = QFileInfo(text(kModel)).completeBaseName();
  return model.isEmpty() ? tr("run") : QStringLiteral("%1 r%2").arg(model, text(QStringLiteral("peft.r")));
}

void RunForm::setFileCheck(const QString& key, const FileCheck& check) {
  checks_[key] = check;
  emit keyChanged(key);
  emit changed();
}

FileCheck RunForm::fileCheck(const QString& key) const {
  const auto found = checks_.find(key);
  return found == checks_.end() ? FileCheck{} : found->second;
}

void RunForm::load(const run::RunConfig& config) {
  history_.note(texts_, {});
  for (const auto& [key, value] : run::flatten(config)) {
    const QString name = QString::fromStdString(key);
    texts_[name] = QString::fromStdString(value);
    touched_[name] = true;
  }
  texts_[QStringLiteral("output.dir")] = QStringLiteral("auto");  // a new run gets a folder of its own
  checks_.clear();
  evaluate();
  for (const auto& entry : texts_) emit keyChanged(entry.first);
  emit changed();
}

void RunForm::apply(const run::RunConfig& preset) {
  EditHistory::Texts texts = texts_;
  for (const auto& [key, value] : run::flatten(preset)) {
    const QString name = QString::fromStdString(key);
    if (!isKeptByPresets(name)) texts[name] = QString::fromStdString(value);
  }
  if (texts == texts_) return;
  history_.note(texts_, {});
  restore(texts);
}

void RunForm::undo() {
  if (const auto texts = history_.undo(texts_)) restore(*texts);
}

void RunForm::redo() {
  if (const auto texts = history_.redo(texts_)) restore(*texts);
}

void RunForm::restore(const EditHistory::Texts& texts) {
  const EditHistory::Texts before = std::exchange(texts_, texts);
  evaluate();
  for (const auto& [key, text] : texts_) {
    if (before.at(key) == text) continue;
    touched_[key] = true;
    if (key == kModel || key == kTrain) checks_[key] = {};
    emit keyChanged(key);
  }
  emit changed();
}

void RunForm::evaluate() {
  config_ = {};
  problems_.clear();
  for (const run::KeyInfo& info : run::configKeys()) {
    const QString key = QString::fromStdString(info.key);
    const Status status = run::setKey(config_, info.key, texts_[key].trimmed().toStdString());
    if (!status.ok()) problems_[key] = QString::fromStdString(status.error().detail);
  }
  // A key that could not be read holds its default in config_; its own problem comes first.
  for (const run::ConfigProblem& problem : run::validate(config_)) {
    problems_.try_emplace(QString::fromStdString(problem.key), QString::fromStdString(problem.what));
  }
}

QString RunForm::problem(const QString& key) const {
  const auto found = problems_.find(key);
  if (found != problems_.end()) return found->second;
  const FileCheck check = fileCheck(key);
  return check.state == FileCheck::State::Bad ? check.text : QString();
}

QStringList RunForm::blockers() const {
  QStringList all;
  for (const run::KeyInfo& info : run::configKeys()) {
    const QString key = QString::fromStdString(info.key);
    const QString what = problem(key);
    if (!what.isEmpty()) {
      all << tr("%1: %2").arg(labelFor(key), what);
    } else if (key == kModel || key == kTrain) {
      if (fileCheck(key).state != FileCheck::State::Good) all << tr("%1: is being checked").arg(labelFor(key));
    }
  }
  return all;
}

QString RunForm::yaml() const { return QString::fromStdString(run::toYaml(config_)); }

QString RunForm::fileName() const {
  QString file = name_.trimmed().isEmpty() ? suggestedName() : name_.trimmed();
  file.replace(QRegularExpression(QStringLiteral("[^A-Za-z0-9_.-]+")), QStringLiteral("-"));
  return file + QStringLiteral(".yaml");
}

QString RunForm::commandLine() const {
  const QString name = name_.trimmed().isEmpty() ? suggestedName() : name_.trimmed();
  return QStringLiteral("tidemark-cli run %1 --name %2").arg(shellQuoted(fileName()), shellQuoted(name));
}

}  // namespace tidemark::ui
