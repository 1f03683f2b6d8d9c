// A process in a session of its own that outlives the workbench, with its output in a file. While the workbench lives, it is
// told when the process ends.
#pragma once

#include <QObject>
#include <QString>
#include <QStringList>
#include <filesystem>
#include <memory>

#include "core/base/result.h"

class QSocketNotifier;

namespace tidemark::ui {

class DetachedProcess : public QObject {
  Q_OBJECT
 public:
  // Does not search PATH. Standard output and error are appended to `log`.
  static Result<std::unique_ptr<DetachedProcess>> start(const QString& program, const QStringList& arguments,
                                                        const std::filesystem::path& log);
  ~DetachedProcess() override;  // the process lives on

  qint64 pid() const { return pid_; }

 signals:
  void finished(int exitCode);  // 128 + signal where a signal ended it

 private:
  DetachedProcess(qint64 pid, int descriptor);
  void reap();

  qint64 pid_;
  int descriptor_;  // a pidfd: readable once the process has ended
  QSocketNotifier* notifier_;
};

}  // namespace tidemark::ui
