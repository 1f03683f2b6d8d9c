// The run's agent: starts one worker per rank, reads an event pipe from each, appends events.jsonl, and reaps every
// rank whatever happens. Knows nothing of the database: the caller gets each event.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/run/config.h"
#include "core/run/event.h"
#include "core/run/exit_code.h"

namespace tidemark::launch {

struct AgentSettings {
  std::string runId, name;
  std::filesystem::path directory;  // the run directory, created already, with config.yaml
  std::filesystem::path worker;     // tidemark-worker
  run::RunConfig config;
  bool isResume = false;
  std::vector<run::EventBody> openingEvents;  // what the caller found out before the start; written after "started"
  int64_t graceSeconds = 5;                   // once one rank has failed: between SIGTERM and SIGKILL for the others
  int64_t stragglerSeconds = 300;             // once one rank is done: how long the others may take
};

// Lines firstNumber, firstNumber + 1, ... (from 0) of events.jsonl, durable when this is called; about 4 calls a
// second.
using EventSink = std::function<void(int64_t firstNumber, const std::vector<run::Event>& events)>;

// Blocks until every rank is gone, and every process that a rank has left behind. SIGTERM, SIGINT and SIGHUP to this
// process ask the ranks to stop with a checkpoint, however long their present step takes; a second one ends them at
// once. The sink is called on the calling thread. A rank that dies ends the others; the failure event names rank,
// signal and its last log lines. Busy: another agent holds the directory. Other threads of this process must block
// these signals.
Result<run::ExitCode> superviseRun(const AgentSettings& settings, const EventSink& sink);

// The agent's pid and start time (field 22 of /proc/PID/stat), and whether that very process still lives.
int64_t processStartTicks(int64_t pid);  // 0: no such process
bool isSameProcess(int64_t pid, int64_t startTicks);
// Asks the agent to stop its run with a checkpoint.
Status requestStop(int64_t pid, int64_t startTicks);

// A free TCP port on the loopback device, or Busy if `wanted` (not 0) is in use.
Result<int64_t> choosePort(int64_t wanted);

}  // namespace tidemark::launch
