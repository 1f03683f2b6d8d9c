#include "core/launch/agent.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "core/launch/event_log.h"
#include "core/launch/signals.h"
#include "core/launch/supervisor.h"

namespace tidemark::launch {
namespace {

// Held for as long as an agent works in a run directory; the kernel releases it whatever happens to the agent.
class DirectoryLock {
 public:
  static Result<DirectoryLock> take(const std::filesystem::path& directory) {
    const auto path = directory / "agent.lock";
    const int handle = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (handle < 0) return Error{ErrorCode::Io, path.string(), std::strerror(errno)};
    DirectoryLock lock(handle);
    if (::flock(handle, LOCK_EX | LOCK_NB) == 0) return lock;
    if (errno != EWOULDBLOCK) return Error{ErrorCode::Io, path.string(), std::strerror(errno)};
    return Error{ErrorCode::Busy, directory.string(), "another agent works in this run directory; stop that run first"};
  }
  DirectoryLock(DirectoryLock&& other) noexcept : handle_(std::exchange(other.handle_, -1)) {}
  ~DirectoryLock() {
    if (handle_ >= 0) ::close(handle_);
  }

 private:
  explicit DirectoryLock(int handle) : handle_(handle) {}
  int handle_;
};

Status checkFiles(const AgentSettings& settings) {
  if (::access(settings.worker.c_str(), X_OK) != 0) {
    return Error{ErrorCode::NotFound, settings.worker.string(), "the worker is not there or cannot be executed"};
  }
  const auto config = settings.directory / "config.yaml";
  if (::access(config.c_str(), R_OK) != 0) return Error{ErrorCode::NotFound, config.string(), std::strerror(errno)};
  std::error_code error;
  std::filesystem::create_directories(settings.directory / "log", error);
  if (error) return Error{ErrorCode::Io, (settings.directory / "log").string(), error.message()};
  return {};
}

}  // namespace

Result<run::ExitCode> superviseRun(const AgentSettings& settings, const EventSink& sink) {
  if (settings.config.parallel.ranks < 1)
    return Error{ErrorCode::InvalidConfig, "parallel.ranks", "must be at least 1"};
  TIDEMARK_TRY(checkFiles(settings));
  TIDEMARK_ASSIGN(const auto lock, DirectoryLock::take(settings.directory));
  TIDEMARK_ASSIGN(const auto port, choosePort(settings.config.parallel.masterPort));
  TIDEMARK_ASSIGN(auto signals, AgentSignals::block());
  TIDEMARK_ASSIGN(auto log, EventLog::open(settings.directory / "events.jsonl"));
  if (::prctl(PR_SET_CHILD_SUBREAPER, 1) != 0) return Error{ErrorCode::Internal, "subreaper", std::strerror(errno)};
  return Supervisor(settings, sink, signals, log).run(port);
}

}  // namespace tidemark::launch
