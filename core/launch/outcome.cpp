#include "core/launch/outcome.h"

#include <sys/wait.h>

#include <algorithm>
#include <csignal>
#include <cstring>

namespace tidemark::launch {
namespace {

using run::ExitCode;

bool isEndedByAgent(const RankEnd& end) {
  if (!WIFSIGNALED(end.waitStatus)) return false;
  const int number = WTERMSIG(end.waitStatus);
  return (end.signalSent != 0 && number == SIGTERM) || (end.signalSent == SIGKILL && number == SIGKILL);
}

bool hasExitCode(const RankEnd& end, ExitCode code) {
  return WIFEXITED(end.waitStatus) && WEXITSTATUS(end.waitStatus) == static_cast<int>(code);
}

// How much an end explains: a rank that reports the loss of a peer explains nothing.
int weight(const RankEnd& end) {
  if (WIFSIGNALED(end.waitStatus)) {
    // An abort on the way down is how an uncaught "peer is gone" looks.
    return WTERMSIG(end.waitStatus) == SIGABRT && end.signalSent != 0 ? 0 : 3;
  }
  if (hasExitCode(end, ExitCode::OutOfMemory)) return 3;
  if (hasExitCode(end, ExitCode::Refused)) return 2;
  return hasExitCode(end, ExitCode::RankLost) ? 0 : 1;
}

bool knowsWhy(const RankEnd& end) {
  for (const auto code : {ExitCode::Refused, ExitCode::Failed, ExitCode::OutOfMemory, ExitCode::RankLost}) {
    if (hasExitCode(end, code)) return true;
  }
  return false;
}

ExitCode exitCodeOf(const RankEnd& end) {
  for (const auto code : {ExitCode::Refused, ExitCode::Failed, ExitCode::OutOfMemory}) {
    if (hasExitCode(end, code)) return code;
  }
  return ExitCode::RankLost;
}

const char* failureCodeOf(ExitCode code) {
  switch (code) {
    case ExitCode::OutOfMemory:
      return "out_of_memory";
    case ExitCode::RankLost:
      return "rank_lost";
    case ExitCode::Refused:
      return "invalid_input";
    default:
      return "failed";
  }
}

Verdict failureOf(const RankEnd& end, ExitCode code, std::string reason) {
  return {code, end.rank, failureCodeOf(code), std::move(reason), false, knowsWhy(end)};
}

}  // namespace

bool isFailure(const RankEnd& end) {
  return !hasExitCode(end, ExitCode::Done) && !hasExitCode(end, ExitCode::Stopped) && !isEndedByAgent(end);
}

std::string describeEnd(const RankEnd& end) {
  const std::string rank = "rank " + std::to_string(end.rank);
  if (!WIFSIGNALED(end.waitStatus))
    return rank + " ended with exit code " + std::to_string(WEXITSTATUS(end.waitStatus));
  const int number = WTERMSIG(end.waitStatus);
  const char* name = ::sigabbrev_np(number);
  std::string text = rank + " was killed by " + (name ? "SIG" + std::string(name) : "signal " + std::to_string(number));
  if (number == SIGKILL) text += " (often the kernel's answer when the machine is out of memory)";
  return text;
}

Verdict judge(const std::vector<RankEnd>& ends, StopRequest stop) {
  const RankEnd* worst = nullptr;
  for (const auto& end : ends) {
    if (isFailure(end) && (!worst || weight(end) > weight(*worst))) worst = &end;
  }
  if (worst) return failureOf(*worst, exitCodeOf(*worst), describeEnd(*worst));

  const auto ended = std::find_if(ends.begin(), ends.end(), isEndedByAgent);
  if (ended != ends.end() && stop == StopRequest::None) {
    return failureOf(*ended, ExitCode::RankLost,
                     "rank " + std::to_string(ended->rank) + " did not end when the other ranks were done");
  }
  const bool isStopped = ended != ends.end() || std::any_of(ends.begin(), ends.end(), [](const RankEnd& end) {
                           return hasExitCode(end, ExitCode::Stopped);
                         });
  return {isStopped ? ExitCode::Stopped : ExitCode::Done, -1, "", "", ended != ends.end(), false};
}

}  // namespace tidemark::launch
