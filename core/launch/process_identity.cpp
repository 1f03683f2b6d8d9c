#include <cerrno>
#include <csignal>
#include <cstring>
#include <string>

#include "core/launch/agent.h"
#include "core/launch/process_stat.h"

namespace tidemark::launch {

int64_t processStartTicks(int64_t pid) {
  if (pid <= 0) return 0;
  const auto fields = statFields(pid);
  constexpr size_t kState = 0, kStartTime = 22 - 3;
  if (fields.size() <= kStartTime || fields[kState] == "Z" || fields[kState] == "X") return 0;
  return std::strtoll(fields[kStartTime].c_str(), nullptr, 10);
}

bool isSameProcess(int64_t pid, int64_t startTicks) {
  return pid > 0 && startTicks > 0 && processStartTicks(pid) == startTicks;
}

Status requestStop(int64_t pid, int64_t startTicks) {
  const std::string subject = "process " + std::to_string(pid);
  if (!isSameProcess(pid, startTicks))
    return Error{ErrorCode::NotFound, subject, "the run's agent is not running any more"};
  if (::kill(static_cast<pid_t>(pid), SIGTERM) != 0) return Error{ErrorCode::Io, subject, std::strerror(errno)};
  return {};
}

}  // namespace tidemark::launch
