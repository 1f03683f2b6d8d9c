// Everything the product keeps about runs, as plain records; the only door to the database for the command line and the
// workbench. Thread: one store per thread. SQLite stays inside.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/run/event.h"
#include "storage/sweep_record.h"

namespace tidemark::storage {

enum class RunStatus { Queued, Running, Stopping, Completed, Stopped, Failed, Lost };  // Lost: its agent is gone without a word
const char* statusName(RunStatus status);

struct RunRecord {
  std::string id;             // ULID-like, sorts by creation
  std::string name;
  std::string directory;
  RunStatus status = RunStatus::Queued;
  std::string model, modelFormat, dataset, policy;
  int64_t ranks = 0;
  int64_t agentPid = 0, agentStartTicks = 0;  // identify the agent's process beyond doubt
  double createdAt = 0, finishedAt = 0;
  int64_t step = 0, maxSteps = 0;
  std::optional<double> loss, evalLoss, tokensPerSecond;   // of the last step; the last evaluation
  std::optional<double> secondsPerStep;
  std::optional<int64_t> peakBytes, budgetBytes, remoteBytesPerIteration;
  std::optional<int64_t> exitCode;
  std::string message;        // of the failure, if one
  std::string adapter;
  std::string configYaml;
  int64_t parameters = 0, trainableParameters = 0;
  std::string sweep;          // id of the sweep that it is a run of; empty: of none
  int64_t sweepPoint = -1;
};

struct RunQuery {
  std::string search = {};    // in name, model and dataset
  std::optional<RunStatus> status = {};
  bool includesArchived = false;
  int64_t limit = 10000;
};

class RunStore {
 public:
  // Opens or creates the database, and migrates it. A newer schema is refused with both version numbers.
  static Result<std::unique_ptr<RunStore>> open(const std::filesystem::path& database);
  static std::filesystem::path defaultPath();  // $XDG_DATA_HOME/tidemark/tidemark.db
  ~RunStore();

  // Creating and finding. createRun also writes the hyperparameters, one row per key.
  Result<std::string> createRun(const RunRecord& run, const std::vector<std::pair<std::string, std::string>>& hyperparameters);
  Result<RunRecord> run(const std::string& id) const;
  // By id, exact name, run directory (its newest run), or the beginning of an id, in this order. InvalidInput if several
  // runs have that name or beginning: the error lists them.
  Result<RunRecord> findRun(const std::string& idNameOrDirectory) const;
  Result<std::vector<RunRecord>> runs(const RunQuery& query) const;   // newest first
  Status setAgent(const std::string& id, int64_t pid, int64_t startTicks);
  // Stopping and Lost do not replace the end that a run has already come to.
  Status setStatus(const std::string& id, RunStatus status);
  Status rename(const std::string& id, const std::string& name);
  Status deleteRun(const std::string& id);

  // Applies events to the database in one transaction: status, metrics, operators, timelines, plans, checkpoints, ...
  // Applying the same line of events.jsonl twice changes nothing. Lines are numbered from 0, blank ones included, and
  // events[i] is line firstLine + i. After a gap the missing lines are read from the run's events.jsonl first.
  Status applyEvents(const std::string& runId, int64_t firstLine, const std::vector<run::Event>& events);
  // Reads what the run's events.jsonl has beyond the last applied line. Returns how many lines were applied.
  Result<int64_t> importNewEvents(const std::string& runId);
  // Registers a run directory that came from elsewhere (its config.yaml and events.jsonl). One that is known already is
  // brought up to date; a run without an end is Lost, since its agent is not here.
  Result<std::string> importDirectory(const std::filesystem::path& directory);

  // Reading back.
  Result<std::vector<std::pair<std::string, std::string>>> hyperparameters(const std::string& runId) const;
  Result<std::vector<run::StepEvent>> steps(const std::string& runId, int64_t rank, int64_t afterStep) const;
  Result<std::vector<run::EvalEvent>> evaluations(const std::string& runId) const;
  Result<std::vector<run::OperatorEvent>> operators(const std::string& runId, int64_t rank) const;
  Result<std::vector<run::PlanEvent>> plans(const std::string& runId, int64_t rank) const;
  Result<std::vector<int64_t>> timelineIterations(const std::string& runId, int64_t rank) const;
  // The timeline in force at `iteration`: the stored one with the greatest iteration <= it. -1: the newest.
  Result<run::TimelineEvent> timeline(const std::string& runId, int64_t rank, int64_t iteration) const;
  Result<std::vector<run::CheckpointEvent>> checkpoints(const std::string& runId) const;
  Result<std::vector<run::SampleEvent>> samples(const std::string& runId) const;  // oldest first
  Result<std::vector<run::LogEvent>> log(const std::string& runId, int64_t limit) const;  // the last `limit`, oldest first
  Result<std::optional<run::ModelEvent>> model(const std::string& runId) const;
  Result<std::optional<run::DatasetEvent>> dataset(const std::string& runId) const;

  // Sweeps. createSweep writes all points; setSweepPoint what has become of one, and a reason for an early stop into its run.
  Result<std::string> createSweep(const SweepRecord& sweep, const std::vector<SweepPoint>& points);
  Result<std::vector<SweepRecord>> sweeps() const;  // newest first
  Result<SweepRecord> findSweep(const std::string& idOrName) const;  // or the beginning of an id; several are InvalidInput
  Result<std::vector<SweepPoint>> sweepPoints(const std::string& sweepId) const;
  Status setSweepPoint(const std::string& sweepId, const SweepPoint& point);
  Status setSweepStatus(const std::string& sweepId, SweepStatus status);
  Status setSweepAgent(const std::string& sweepId, int64_t pid, int64_t startTicks);
  Status deleteSweep(const std::string& sweepId);  // its runs stay

  // Grows whenever anything changed, also by other processes; cheap enough to poll ten times a second.
  int64_t changeCounter() const;

 private:
  struct Impl;
  explicit RunStore(std::unique_ptr<Impl> impl);
  Result<std::string> importUnknownDirectory(const std::filesystem::path& directory);
  Result<std::string> adoptMovedDirectory(const std::string& id, const std::filesystem::path& directory);
  std::unique_ptr<Impl> impl_;
};

}  // namespace tidemark::storage
