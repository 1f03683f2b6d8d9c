// The signals that an agent waits for, as a file descriptor, for as long as the object lives.
#pragma once

#include <csignal>

#include "core/base/result.h"

namespace tidemark::launch {

class AgentSignals {
 public:
  // Blocks SIGCHLD, SIGINT, SIGTERM and SIGHUP on the calling thread until destruction.
  static Result<AgentSignals> block();
  AgentSignals(AgentSignals&& other) noexcept;
  AgentSignals& operator=(AgentSignals&&) = delete;
  ~AgentSignals();

  int handle() const { return handle_; }
  // Since the last call: how many of SIGINT, SIGTERM and SIGHUP. A hangup after another request counts for nothing,
  // because kernel and shell may each send one when a terminal closes.
  int takeStopRequests();
  sigset_t maskForRanks() const;  // as before, with none of these signals blocked

 private:
  AgentSignals() = default;
  int handle_ = -1;
  bool restores_ = false;
  bool hasRequest_ = false;
  sigset_t maskBefore_{};
};

}  // namespace tidemark::launch
