// What the ends of all ranks mean for the run. Pure judgement: no processes, no files.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/run/exit_code.h"

namespace tidemark::launch {

struct RankEnd {
  int64_t rank = 0;
  int waitStatus = 0;  // as waitpid gives it
  int signalSent = 0;  // the strongest that the agent had sent by then: 0, SIGTERM or SIGKILL
};

enum class StopRequest { None, AtCheckpoint, AtOnce };

struct Verdict {
  run::ExitCode exitCode = run::ExitCode::Done;
  int64_t rank = -1;             // the rank that failed first in substance, -1: none
  std::string failureCode;       // of FailureEvent
  std::string reason;            // "rank 1 was killed by SIGSEGV"
  bool lacksCheckpoint = false;  // stopped, but a rank was ended before it could write one
  bool hasOwnWord = false;       // it ended by itself with a code that it knows: its own failure event says why
};

// `ends` in the order in which the agent saw them. A rank that loses its peer fails too, often with a plain error and
// sometimes first: a rank killed by a signal or out of memory explains more than a rank that reports any other failure.
Verdict judge(const std::vector<RankEnd>& ends, StopRequest stop);

bool isFailure(const RankEnd& end);           // neither done, nor stopped, nor ended by the agent
std::string describeEnd(const RankEnd& end);  // "rank 1 was killed by SIGSEGV"

}  // namespace tidemark::launch
