#include "ui/live/run_watcher.h"

#include "ui/live/run_reader.h"

namespace tidemark::ui {

RunWatcher::RunWatcher(const std::filesystem::path& database, QObject* parent)
    : QObject(parent), database_(database), reader_(new RunReader(database)) {
  reader_->moveToThread(&thread_);
  connect(&thread_, &QThread::started, reader_, &RunReader::start);
  connect(&thread_, &QThread::finished, reader_, &QObject::deleteLater);
  connect(reader_, &RunReader::runsRead, this, &RunWatcher::runsRead);
  connect(reader_, &RunReader::detailRead, this, &RunWatcher::detailRead);
  connect(reader_, &RunReader::sweepsRead, this, &RunWatcher::sweepsRead);
  connect(reader_, &RunReader::sweepPointsRead, this, &RunWatcher::sweepPointsRead);
  connect(reader_, &RunReader::failed, this, &RunWatcher::failed);
  connect(reader_, &RunReader::recovered, this, &RunWatcher::recovered);
  thread_.setObjectName(QStringLiteral("database"));
  thread_.start();
}

RunWatcher::~RunWatcher() {
  thread_.quit();
  thread_.wait();
}

void RunWatcher::wishFor(const RunWish& wish) {
  QMetaObject::invokeMethod(reader_, [reader = reader_, wish] { reader->wishFor(wish); });
}

void RunWatcher::wishForSweep(const QString& sweepId) {
  QMetaObject::invokeMethod(reader_, [reader = reader_, id = sweepId.toStdString()] { reader->wishForSweep(id); });
}

void RunWatcher::deleteRun(const QString& runId) {
  QMetaObject::invokeMethod(reader_, [reader = reader_, id = runId.toStdString()] { reader->deleteRun(id); });
}

void RunWatcher::renameRun(const QString& runId, const QString& name) {
  QMetaObject::invokeMethod(reader_, [reader = reader_, id = runId.toStdString(), text = name.toStdString()] {
    reader->renameRun(id, text);
  });
}

}  // namespace tidemark::ui
