// One process that sends events, such as a rank: started with its environment, log file and event pipe; signalled and
// reaped. Judges nothing.
#pragma once

#include <signal.h>
#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/result.h"

namespace tidemark::launch {

struct WorkerCommand {
  std::filesystem::path program;
  std::vector<std::string> arguments;                            // after the program's name
  std::vector<std::pair<std::string, std::string>> environment;  // replaces or joins the agent's own
  std::vector<std::string> removedVariables;                     // of the agent's own environment
  std::filesystem::path logFile;                                 // stdout and stderr, appended
  sigset_t signalMask{};                                         // of the new process
  int eventHandle = 3;                                           // its descriptor of the event pipe; 1: its stdout
  int deathSignal = SIGKILL;                                     // sent to it when the calling thread ends
};

class WorkerProcess {
 public:
  // The process leads its own group and gets deathSignal when the calling thread ends (PR_SET_PDEATHSIG). An error: the program cannot be executed; nothing is left running.
  static Result<WorkerProcess> start(const WorkerCommand& command);
  WorkerProcess(WorkerProcess&& other) noexcept;
  WorkerProcess& operator=(WorkerProcess&&) = delete;
  ~WorkerProcess();  // closes the pipe; the process must have been reaped

  pid_t pid() const { return pid_; }
  int eventHandle() const { return eventHandle_; }  // non-blocking read end; -1 after its end
  int64_t logBegin() const { return logBegin_; }    // bytes that the log file held before the start

  // Whole lines that have arrived; a part of a line waits for the rest, or for the end of the pipe.
  // Lines longer than 64 MiB come as an empty line.
  std::vector<std::string> readLines();

  void signal(int number) const;  // to the whole group; after reaping: to what is left of it
  std::optional<int> reap();      // the wait status, once, when the process has ended
  bool isReaped() const { return isReaped_; }

 private:
  WorkerProcess() = default;
  pid_t pid_ = -1;
  int eventHandle_ = -1;
  int64_t logBegin_ = 0;
  bool isReaped_ = false;
  bool skipsLine_ = false;
  std::string partialLine_;
};

// Ends every child of this process that is not in `known`, and theirs, and waits for them. With PR_SET_CHILD_SUBREAPER
// these are what the ranks left behind.
void endStrayChildren(const std::vector<pid_t>& known);
std::vector<pid_t> childProcesses();

}  // namespace tidemark::launch
