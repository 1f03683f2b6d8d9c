#include "core/run/exit_code.h"

namespace tidemark::run {

ExitCode exitCodeFor(const Error& error) {
  switch (error.code) {
    case ErrorCode::InvalidConfig:
    case ErrorCode::InvalidInput:
    case ErrorCode::NotFound:
    case ErrorCode::Unsupported:
      return ExitCode::Refused;
    case ErrorCode::OutOfMemory:
      return ExitCode::OutOfMemory;
    case ErrorCode::RankLost:
      return ExitCode::RankLost;
    case ErrorCode::Cancelled:
      return ExitCode::Stopped;
    case ErrorCode::Io:
    case ErrorCode::Busy:
    case ErrorCode::Internal:
      return ExitCode::Failed;
  }
  return ExitCode::Failed;
}

}  // namespace tidemark::run
