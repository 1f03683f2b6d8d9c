// Has this machine measured for a configuration: runs `tidemark-cli plan --json` and hands over what it prints. One at a time; ends
// with the workbench.
#pragma once

#include <QObject>
#include <QProcess>
#include <QTemporaryDir>
#include <memory>

#include "core/run/config.h"

namespace tidemark::ui {

class ProfileRunner : public QObject {
  Q_OBJECT
 public:
  // `cli`: the path of tidemark-cli.
  explicit ProfileRunner(QString cli, QObject* parent = nullptr);
  ~ProfileRunner() override;

  void start(quint64 generation, const run::RunConfig& config);
  void stop();  // without another word
  bool isRunning() const { return process_ != nullptr; }

 signals:
  void profiled(quint64 generation, const tidemark::run::RunConfig& config, const QByteArray& lines);  // what it printed
  void failed(quint64 generation, const QString& message);

 private:
  void end(int exitCode);
  void refuse(const QString& message);

  QString cli_;
  quint64 generation_ = 0;
  run::RunConfig config_;
  std::unique_ptr<QTemporaryDir> folder_;
  QProcess* process_ = nullptr;
};

}  // namespace tidemark::ui
