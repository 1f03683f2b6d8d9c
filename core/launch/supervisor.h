// Watches the ranks of one run from their start to the last one's end: events into the log, ends into a verdict.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <vector>

#include "core/launch/agent.h"
#include "core/launch/event_log.h"
#include "core/launch/outcome.h"
#include "core/launch/signals.h"
#include "core/launch/worker_process.h"

namespace tidemark::launch {

class Supervisor {
 public:
  Supervisor(const AgentSettings& settings, const EventSink& sink, AgentSignals& signals, EventLog& log);
  ~Supervisor();  // no process of the run is left

  Result<run::ExitCode> run(int64_t masterPort);

 private:
  using Clock = std::chrono::steady_clock;
  enum class Stage { Running, Ending, Killed };  // of the ranks that are left: nothing, SIGTERM or SIGKILL was sent

  Status startRanks(int64_t masterPort);
  void waitForNews();
  void takeSignals();
  void readEvents(int64_t rank);
  void takeLine(int64_t rank, const std::string& line);
  void reapRanks();
  void endRanks(Stage stage);
  void escalate();
  void record(int64_t rank, run::EventBody body);
  void flush(EventLog::When when);
  Status finish(const Verdict& verdict);
  void recordFailure(const Verdict& verdict);
  bool isAnyLeft() const;

  const AgentSettings& settings_;
  const EventSink& sink_;
  AgentSignals& signals_;
  EventLog& log_;
  std::vector<pid_t> knownChildren_;
  std::vector<WorkerProcess> ranks_;
  std::vector<RankEnd> ends_;
  Stage stage_ = Stage::Running;
  StopRequest stop_ = StopRequest::None;
  std::optional<Clock::time_point> deadline_;      // when the next harsher signal is due
  std::map<int64_t, run::FailureEvent> failures_;  // of each rank, the first that it sent; held back for the verdict
  std::map<int64_t, int64_t> badLines_;
  std::optional<Error> logError_;
};

}  // namespace tidemark::launch
