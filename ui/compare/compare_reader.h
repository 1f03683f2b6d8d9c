// Reads the runs of a comparison in a thread of its own and delivers them by signal. Of several wishes that wait only the last
// is carried out.
#pragma once

#include <QObject>
#include <QString>
#include <QThread>
#include <atomic>
#include <filesystem>
#include <memory>

#include "ui/compare/compared_run.h"

namespace tidemark::ui {

class CompareLoader;

struct CompareReading {
  quint64 generation = 0;  // of the wish that it answers
  ComparedRuns runs;       // without those that are not in the database any more
};

class CompareReader : public QObject {
  Q_OBJECT
 public:
  explicit CompareReader(const std::filesystem::path& database, QObject* parent = nullptr);
  ~CompareReader() override;

  void wishFor(quint64 generation, const std::vector<std::string>& runIds);

 signals:
  void runsRead(const tidemark::ui::CompareReading& reading);
  void failed(const QString& message);

 private:
  QThread thread_;
  QObject* worker_;  // lives in thread_; only a place for calls
  std::unique_ptr<CompareLoader> loader_;  // used in thread_ alone
  std::atomic<quint64> newest_{0};
};

}  // namespace tidemark::ui
