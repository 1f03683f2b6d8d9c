#include "ui/live/profile_runner.h"

#include <QFile>

namespace tidemark::ui {
namespace {

constexpr int kPatienceMs = 2000;  // between asking a process to end and making it

}  // namespace

ProfileRunner::ProfileRunner(QString cli, QObject* parent) : QObject(parent), cli_(std::move(cli)) {}

ProfileRunner::~ProfileRunner() {
  if (!process_) return;
  process_->disconnect(this);
  process_->terminate();
  if (!process_->waitForFinished(kPatienceMs)) process_->kill();
}

void ProfileRunner::start(quint64 generation, const run::RunConfig& config) {
  stop();
  generation_ = generation;
  config_ = config;
  folder_ = std::make_unique<QTemporaryDir>();
  QFile file(folder_->filePath(QStringLiteral("run.yaml")));
  const QByteArray yaml = QByteArray::fromStdString(run::toYaml(config));
  if (!folder_->isValid() || !file.open(QIODevice::WriteOnly) || file.write(yaml) != yaml.size() || !file.flush())
    return refuse(tr("The configuration could not be written to %1").arg(folder_->path()));
  process_ = new QProcess(this);
  connect(process_, &QProcess::finished, this, [this](int code) { end(code); });
  connect(process_, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
    if (error == QProcess::FailedToStart) refuse(tr("%1 could not be started").arg(cli_));
  });
  process_->start(cli_, {QStringLiteral("plan"), file.fileName(), QStringLiteral("--json")});
}

void ProfileRunner::stop() {
  if (!process_) return;
  process_->disconnect(this);
  connect(process_, &QProcess::finished, process_, &QObject::deleteLater);
  process_->terminate();
  process_ = nullptr;
}

void ProfileRunner::refuse(const QString& message) {
  if (process_) process_->deleteLater();
  process_ = nullptr;
  emit failed(generation_, message);
}

void ProfileRunner::end(int exitCode) {
  const QByteArray lines = process_->readAllStandardOutput();
  const QString said = QString::fromUtf8(process_->readAllStandardError()).trimmed();
  const bool isWhole = process_->exitStatus() == QProcess::NormalExit && exitCode == 0;
  process_->deleteLater();
  process_ = nullptr;
  if (!isWhole) {
    emit failed(generation_, said.isEmpty() ? tr("The measuring ended with code %1").arg(exitCode) : said);
    return;
  }
  emit profiled(generation_, config_, lines);
}

}  // namespace tidemark::ui
