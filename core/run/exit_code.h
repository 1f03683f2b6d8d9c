// Exit codes of the command line (design.md section 8).
#pragma once

#include "core/base/result.h"

namespace tidemark::run {

enum class ExitCode : int {
  Done = 0,
  Refused = 2,       // configuration or input refused before anything was started
  Failed = 3,
  OutOfMemory = 4,
  RankLost = 5,
  Stopped = 130,     // by the user, with a checkpoint
};

ExitCode exitCodeFor(const Error& error);

}  // namespace tidemark::run
