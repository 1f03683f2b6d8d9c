#include "core/text/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace tidemark::text {
namespace {

Error systemError(const std::string& what) {
  return {ErrorCode::Io, what, std::strerror(errno)};
}

// What the program may see of our environment: enough for a C library, for Python and for the local time.
std::vector<std::string> childEnvironment() {
  std::vector<std::string> environment{"LC_ALL=C.UTF-8", "PATH=/usr/bin:/bin"};
  if (const char* zone = std::getenv("TZ")) environment.push_back(std::string("TZ=") + zone);
  return environment;
}

std::vector<char*> pointersTo(std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  for (std::string& string : strings) pointers.push_back(string.data());
  pointers.push_back(nullptr);
  return pointers;
}

void limit(int which, rlim_t value) {
  const rlimit both{value, value};
  ::setrlimit(static_cast<__rlimit_resource_t>(which), &both);
}

// Runs between fork and exec: only calls that are safe there. Returns only if the program cannot be started.
void becomeProgram(int socket, char* const* arguments, char* const* environment, ChildLimits limits) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  for (const int signal : {SIGPIPE, SIGPROF, SIGINT, SIGTERM, SIGXCPU}) ::signal(signal, SIG_DFL);
  const int nowhere = ::open("/dev/null", O_WRONLY);
  if (::dup2(socket, STDIN_FILENO) < 0 || ::dup2(socket, STDOUT_FILENO) < 0 || ::dup2(nowhere, STDERR_FILENO) < 0) return;
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_FSIZE, 0);
  limit(RLIMIT_CPU, limits.processorSeconds);
  limit(RLIMIT_AS, limits.memoryBytes);
  ::execve(arguments[0], arguments, environment);
}

}  // namespace

Result<std::unique_ptr<ChildProcess>> ChildProcess::start(const std::vector<std::string>& arguments, ChildLimits limits) {
  std::vector<std::string> argumentStrings = arguments, environmentStrings = childEnvironment();
  const std::vector<char*> argv = pointersTo(argumentStrings), environment = pointersTo(environmentStrings);
  int ends[2], failure[2];  // `failure` closes on a successful exec, or carries errno
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return systemError("socketpair");
  if (::pipe2(failure, O_CLOEXEC) != 0) {
    const Error error = systemError("pipe");
    ::close(ends[0]), ::close(ends[1]);
    return error;
  }
  const pid_t pid = ::fork();
  if (pid == 0) {
    becomeProgram(ends[1], argv.data(), environment.data(), limits);
    const int code = errno;
    [[maybe_unused]] const ssize_t written = ::write(failure[1], &code, sizeof code);
    ::_exit(127);
  }
  const Error forkError = systemError("fork");
  ::close(ends[1]);
  ::close(failure[1]);
  int code = 0;
  const bool hasFailed = pid > 0 && ::read(failure[0], &code, sizeof code) == sizeof code;
  ::close(failure[0]);
  if (pid < 0 || hasFailed) {
    ::close(ends[0]);
    if (pid < 0) return forkError;
    ::waitpid(pid, nullptr, 0);
    return Error{ErrorCode::NotFound, arguments[0], std::string("cannot be started: ") + std::strerror(code)};
  }
  ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
  return std::unique_ptr<ChildProcess>(new ChildProcess(pid, ends[0]));
}

ChildProcess::~ChildProcess() {
  ::close(socket_);
  if (pid_ <= 0) return;
  ::kill(pid_, SIGKILL);
  while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {}
}

// False: the child is gone.
bool ChildProcess::sendSome(std::string_view& text) {
  const ssize_t sent = ::send(socket_, text.data(), text.size(), MSG_NOSIGNAL);
  if (sent < 0) return errno == EAGAIN || errno == EINTR;
  text.remove_prefix(static_cast<size_t>(sent));
  return true;
}

bool ChildProcess::receiveSome(std::vector<std::string>& lines, size_t wanted) {
  char buffer[1 << 16];
  const ssize_t received = ::recv(socket_, buffer, sizeof buffer, 0);
  if (received < 0) return errno == EAGAIN || errno == EINTR;
  if (received == 0) return false;
  std::string_view rest(buffer, static_cast<size_t>(received));
  for (size_t end = rest.find('\n'); end != std::string_view::npos && lines.size() < wanted; end = rest.find('\n')) {
    partialLine_ += rest.substr(0, end);
    lines.push_back(std::move(partialLine_));
    partialLine_.clear();
    rest.remove_prefix(end + 1);
  }
  partialLine_ += rest;
  return true;
}

std::vector<std::string> ChildProcess::exchange(std::string_view text, size_t wanted, std::chrono::milliseconds silence) {
  using Clock = std::chrono::steady_clock;
  std::vector<std::string> lines;
  auto deadline = Clock::now() + silence;
  while (lines.size() < wanted) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) {
      wasSilent_ = true;
      ::kill(pid_, SIGKILL);
      return lines;
    }
    pollfd ready{socket_, static_cast<short>(POLLIN | (text.empty() ? 0 : POLLOUT)), 0};
    if (::poll(&ready, 1, static_cast<int>(left)) < 0 && errno != EINTR) return lines;
    const size_t before = lines.size();
    if ((ready.revents & (POLLIN | POLLHUP | POLLERR)) != 0 && !receiveSome(lines, wanted)) return lines;
    if (lines.size() > before) deadline = Clock::now() + silence;
    // A child that ended may have answered first: what it wrote is still read, sending just stops.
    if ((ready.revents & POLLOUT) != 0 && !text.empty() && !sendSome(text)) text = {};
  }
  return lines;
}

std::string ChildProcess::describeEnd() {
  ::kill(pid_, SIGKILL);  // no effect on one that has ended already
  int status = 0;
  while (::waitpid(pid_, &status, 0) < 0)
    if (errno != EINTR) return "ended in an unknown way";
  pid_ = -1;
  if (wasSilent_) return "did not answer in time";
  if (WIFSIGNALED(status) && (WTERMSIG(status) == SIGPROF || WTERMSIG(status) == SIGXCPU)) return "took more processor time than it may use";
  if (WIFSIGNALED(status)) return std::string("was ended by signal ") + ::strsignal(WTERMSIG(status));
  return "ended with status " + std::to_string(WEXITSTATUS(status));
}

}  // namespace tidemark::text
