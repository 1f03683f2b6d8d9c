#include "ui/new_run/form_files.h"

#include <QFileDialog>
#include <QFileInfo>

#include "core/base/file.h"
#include "ui/models/run_form.h"
#include "ui/widgets/banner.h"

namespace tidemark::ui {

FormFiles::FormFiles(const RunForm& form, Banner& banner, QWidget* page) : QObject(page), form_(form), banner_(banner), window_(page) {}

void FormFiles::load(const QString& path) {
  const auto parsed = run::loadConfig(path.toStdString(), {});
  const auto refuse = [this](const std::string& why) {
    banner_.showMessage(Banner::Severity::Error, tr("%1\nThe form stays as it was.").arg(QString::fromStdString(why)));
  };
  if (!parsed.ok()) return refuse(parsed.error().message());
  // A problem without a key: the text as a whole could not be read.
  if (!parsed->problems.empty() && parsed->problems.front().key.empty()) {
    return refuse(path.toStdString() + ": " + parsed->problems.front().what);
  }
  banner_.clear();
  emit loaded(parsed->config);
  if (parsed->problems.empty()) return;
  QStringList lines{tr("Not all of %1 could be taken:").arg(path)};
  for (const run::ConfigProblem& problem : parsed->problems) {
    lines << QString::fromStdString(problem.key) + QStringLiteral(": ") + QString::fromStdString(problem.what);
  }
  banner_.showMessage(Banner::Severity::Warning, lines.join(QLatin1Char('\n')));
}

bool FormFiles::save(const QString& path) {
  const Status written = writeFileAtomically(path.toStdString(), form_.yaml().toStdString());
  if (written.ok()) banner_.showMessage(Banner::Severity::Note, tr("Saved as %1.").arg(path));
  else banner_.showMessage(Banner::Severity::Error, tr("The configuration could not be saved: %1").arg(QString::fromStdString(written.error().message())));
  return written.ok();
}

void FormFiles::chooseToOpen() {
  auto* dialog = new QFileDialog(window_, tr("Open a configuration"), {}, tr("Configurations (*.yaml *.yml *.json);;All files (*)"));
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setFileMode(QFileDialog::ExistingFile);
  connect(dialog, &QFileDialog::fileSelected, this, &FormFiles::load);
  dialog->open();
}

void FormFiles::chooseToSave() {
  auto* dialog = new QFileDialog(window_, tr("Save the configuration"), form_.fileName(), tr("Configurations (*.yaml)"));
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setAcceptMode(QFileDialog::AcceptSave);
  dialog->setDefaultSuffix(QStringLiteral("yaml"));
  connect(dialog, &QFileDialog::fileSelected, this, &FormFiles::save);
  dialog->open();
}

void FormFiles::take(const QList<QUrl>& urls) {
  for (const QUrl& url : urls) {
    if (!url.isLocalFile()) continue;
    const QFileInfo file(url.toLocalFile());
    const QString suffix = file.suffix().toLower();
    if (suffix == QLatin1String("yaml") || suffix == QLatin1String("yml")) {
      load(file.absoluteFilePath());
      continue;
    }
    const bool isModel = file.isDir() || suffix == QLatin1String("gguf");
    emit named(isModel ? QStringLiteral("model") : QStringLiteral("dataset.train"), file.absoluteFilePath());
  }
}

}  // namespace tidemark::ui
