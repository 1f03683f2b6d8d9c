#include "core/launch/worker_process.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace tidemark::launch {
namespace {

constexpr size_t kMaxLineBytes = 64u << 20;
constexpr int kPipeBytes = 1 << 20;  // so that a rank seldom waits while the agent syncs its log
constexpr int kFirstOwnHandle = 10;  // the agent's ends lie above those that a rank is given

class Handle {
 public:
  explicit Handle(int value = -1) : value_(value) {}
  Handle(Handle&& other) noexcept : value_(std::exchange(other.value_, -1)) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(value_, other.value_);
    return *this;
  }
  ~Handle() { close(); }
  int get() const { return value_; }
  int release() { return std::exchange(value_, -1); }
  void close() {
    if (value_ >= 0) ::close(std::exchange(value_, -1));
  }

 private:
  int value_;
};

// The same descriptor at a number of kFirstOwnHandle or more, closed on exec.
Handle raise(Handle handle) { return Handle(::fcntl(handle.get(), F_DUPFD_CLOEXEC, kFirstOwnHandle)); }

struct Pipe {
  Handle read, write;
};

Result<Pipe> makePipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return Error{ErrorCode::Io, "pipe", std::strerror(errno)};
  Pipe pipe{raise(Handle(ends[0])), raise(Handle(ends[1]))};
  if (pipe.read.get() < 0 || pipe.write.get() < 0) return Error{ErrorCode::Io, "pipe", std::strerror(errno)};
  return pipe;
}

std::vector<std::string> environmentFor(const WorkerCommand& command) {
  const auto& additions = command.environment;
  const auto& removed = command.removedVariables;
  std::vector<std::string> merged;
  for (char** entry = environ; *entry; ++entry) {
    const std::string text = *entry;
    const auto name = text.substr(0, text.find('='));
    const bool isReplaced = std::any_of(additions.begin(), additions.end(), [&](auto& a) { return a.first == name; });
    const bool isRemoved = std::find(removed.begin(), removed.end(), name) != removed.end();
    if (!isReplaced && !isRemoved) merged.push_back(text);
  }
  for (const auto& [name, value] : additions) merged.push_back(name + "=" + value);
  return merged;
}

std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> result;
  for (auto& string : strings) result.push_back(string.data());
  result.push_back(nullptr);
  return result;
}

// What the new process needs between fork and exec, where nothing may be allocated.
struct ChildPlan {
  const char* program;
  char* const* arguments;
  char* const* environment;
  pid_t parent;
  int nullHandle, logHandle, eventHandle, errorHandle;
  int wantedEventHandle, deathSignal;
  const sigset_t* signalMask;
};

[[noreturn]] void runChild(const ChildPlan& plan) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, plan.deathSignal);
  if (::getppid() != plan.parent) ::_exit(1);  // the agent died before the line above
  bool isReady = ::dup2(plan.nullHandle, 0) >= 0 && ::dup2(plan.logHandle, 1) >= 0 && ::dup2(plan.logHandle, 2) >= 0 &&
                 ::dup2(plan.eventHandle, plan.wantedEventHandle) >= 0;
  for (const int number : {SIGPIPE, SIGINT, SIGTERM, SIGHUP, SIGCHLD}) ::signal(number, SIG_DFL);
  ::sigprocmask(SIG_SETMASK, plan.signalMask, nullptr);
  if (isReady) ::execve(plan.program, plan.arguments, plan.environment);
  const int code = errno;
  [[maybe_unused]] const auto written = ::write(plan.errorHandle, &code, sizeof code);
  ::_exit(127);
}

Result<Handle> openLog(const std::filesystem::path& path) {
  Handle log(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
  if (log.get() < 0) return Error{ErrorCode::Io, path.string(), std::strerror(errno)};
  return raise(std::move(log));
}

}  // namespace

Result<WorkerProcess> WorkerProcess::start(const WorkerCommand& command) {
  TIDEMARK_ASSIGN(Pipe events, makePipe());
  TIDEMARK_ASSIGN(Pipe errors, makePipe());
  TIDEMARK_ASSIGN(Handle log, openLog(command.logFile));
  Handle null = raise(Handle(::open("/dev/null", O_RDONLY | O_CLOEXEC)));
  ::fcntl(events.write.get(), F_SETPIPE_SZ, kPipeBytes);  // a wish: a smaller pipe only makes ranks wait more often

  std::vector<std::string> argumentTexts{command.program.string()};
  argumentTexts.insert(argumentTexts.end(), command.arguments.begin(), command.arguments.end());
  auto environmentTexts = environmentFor(command);
  const auto arguments = pointers(argumentTexts), environment = pointers(environmentTexts);
  const ChildPlan plan{
      command.program.c_str(), arguments.data(),   environment.data(), ::getpid(), null.get(), log.get(),
      events.write.get(),      errors.write.get(), command.eventHandle,
      command.deathSignal,     &command.signalMask};

  WorkerProcess process;
  struct stat info {};
  if (::fstat(log.get(), &info) == 0) process.logBegin_ = info.st_size;
  process.pid_ = ::fork();
  if (process.pid_ < 0) return Error{ErrorCode::Io, "fork", std::strerror(errno)};
  if (process.pid_ == 0) runChild(plan);
  ::setpgid(process.pid_, process.pid_);  // whichever of parent and child comes first

  errors.write.close();
  int code = 0;
  ssize_t count;
  while ((count = ::read(errors.read.get(), &code, sizeof code)) < 0 && errno == EINTR) {}
  if (count > 0) {
    ::waitpid(process.pid_, nullptr, 0);
    process.isReaped_ = true;
    return Error{ErrorCode::NotFound, command.program.string(),
                 std::string("cannot be started: ") + std::strerror(code)};
  }
  ::fcntl(events.read.get(), F_SETFL, O_NONBLOCK);
  process.eventHandle_ = events.read.release();
  return process;
}

WorkerProcess::WorkerProcess(WorkerProcess&& other) noexcept
    : pid_(other.pid_),
      eventHandle_(std::exchange(other.eventHandle_, -1)),
      logBegin_(other.logBegin_),
      isReaped_(other.isReaped_),
      skipsLine_(other.skipsLine_),
      partialLine_(std::move(other.partialLine_)) {}

WorkerProcess::~WorkerProcess() {
  if (eventHandle_ >= 0) ::close(eventHandle_);
}

std::vector<std::string> WorkerProcess::readLines() {
  std::vector<std::string> lines;
  std::vector<char> buffer(256 << 10);
  while (eventHandle_ >= 0) {
    const ssize_t count = ::read(eventHandle_, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return lines;  // EAGAIN
    if (count == 0) {
      ::close(std::exchange(eventHandle_, -1));
      if (!partialLine_.empty()) lines.push_back(std::exchange(partialLine_, {}));
      return lines;
    }
    const char* begin = buffer.data();
    const char* end = begin + count;
    for (const char* newline; (newline = std::find(begin, end, '\n')) != end; begin = newline + 1) {
      partialLine_.append(begin, newline);
      lines.push_back(skipsLine_ ? std::string() : std::move(partialLine_));
      partialLine_.clear();
      skipsLine_ = false;
    }
    partialLine_.append(begin, end);
    if (partialLine_.size() > kMaxLineBytes) {
      skipsLine_ = true;
      partialLine_.clear();
    }
  }
  return lines;
}

void WorkerProcess::signal(int number) const {
  if (pid_ > 0) ::kill(-pid_, number);
}

std::optional<int> WorkerProcess::reap() {
  int status = 0;
  if (isReaped_ || ::waitpid(pid_, &status, WNOHANG) != pid_) return {};
  isReaped_ = true;
  return status;
}

}  // namespace tidemark::launch
