#include "core/launch/signals.h"

#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace tidemark::launch {
namespace {

constexpr int kSignals[] = {SIGCHLD, SIGINT, SIGTERM, SIGHUP};

}  // namespace

Result<AgentSignals> AgentSignals::block() {
  AgentSignals signals;
  sigset_t set;
  sigemptyset(&set);
  for (const int number : kSignals) sigaddset(&set, number);
  if (const int code = ::pthread_sigmask(SIG_BLOCK, &set, &signals.maskBefore_); code != 0) {
    return Error{ErrorCode::Internal, "blocking signals", std::strerror(code)};
  }
  signals.restores_ = true;
  signals.handle_ = ::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
  if (signals.handle_ < 0) return Error{ErrorCode::Io, "signalfd", std::strerror(errno)};
  return signals;
}

AgentSignals::AgentSignals(AgentSignals&& other) noexcept
    : handle_(std::exchange(other.handle_, -1)),
      restores_(std::exchange(other.restores_, false)),
      maskBefore_(other.maskBefore_) {}

AgentSignals::~AgentSignals() {
  if (handle_ >= 0) {
    takeStopRequests();  // one that came after the last rank has ended asks for what is done already
    ::close(handle_);
  }
  if (restores_) ::pthread_sigmask(SIG_SETMASK, &maskBefore_, nullptr);
}

sigset_t AgentSignals::maskForRanks() const {
  sigset_t mask = maskBefore_;
  for (const int number : kSignals) sigdelset(&mask, number);
  return mask;
}

int AgentSignals::takeStopRequests() {
  int count = 0;
  signalfd_siginfo info;
  while (::read(handle_, &info, sizeof info) == static_cast<ssize_t>(sizeof info)) {
    if (info.ssi_signo == SIGCHLD || (info.ssi_signo == SIGHUP && hasRequest_)) continue;
    hasRequest_ = true;
    ++count;
  }
  return count;
}

}  // namespace tidemark::launch
