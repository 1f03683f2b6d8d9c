// Starts, resumes and stops runs, and makes reports, by way of the command line beside this program. A run that was started
// lives on when the workbench is closed; a refusal is told with the command's own words.
#pragma once

#include <QObject>
#include <QString>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "core/run/config.h"
#include "core/sweep/sweep.h"
#include "storage/run_store.h"
#include "ui/live/detached_process.h"

namespace tidemark::ui {

class RunLauncher : public QObject {
  Q_OBJECT
 public:
  // `cli`: the path of tidemark-cli.
  RunLauncher(std::filesystem::path database, QString cli, QObject* parent = nullptr);
  ~RunLauncher() override;

  void start(const run::RunConfig& config, const QString& name);
  void resume(const storage::RunRecord& run);
  void stop(const storage::RunRecord& run);
  void startSweep(const sweep::Sweep& sweep);
  void resumeSweep(const storage::SweepRecord& sweep);
  void stopSweep(const storage::SweepRecord& sweep);  // its runs write a checkpoint
  // Makes <run directory>/report/report.html.
  void makeReport(const storage::RunRecord& run);
  // To be told of every reading of the database: recognises the runs that were started here.
  void noticeRuns(const std::vector<storage::RunRecord>& runs);
  void noticeSweeps(const std::vector<storage::SweepRecord>& sweeps);
  bool isStarting() const { return !pending_.empty(); }

 signals:
  void started(const QString& runId);
  void sweepStarted(const QString& sweepId);
  void refused(const QString& message);
  void reportReady(const QString& path);
  void pendingChanged();

 private:
  struct Pending {
    std::unique_ptr<DetachedProcess> process;
    std::filesystem::path log;
    bool isSeen = false;  // in the database; its end is told there
  };
  template <typename Record>
  void notice(const std::vector<Record>& records, void (RunLauncher::*seen)(const QString& id));
  Result<std::filesystem::path> writeFile(const char* name, const std::string& content) const;
  void launch(const QStringList& arguments);
  void ended(qint64 pid, int exitCode);
  Result<std::filesystem::path> makeFolder() const;

  std::filesystem::path database_;
  QString cli_;
  std::vector<Pending> pending_;  // started here and not yet seen in the database
  std::vector<Pending> seen_;
  std::set<std::string> reporting_;  // runs whose report is being made: asking again changes nothing
};

}  // namespace tidemark::ui
