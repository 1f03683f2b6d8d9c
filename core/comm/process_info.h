// Who this process is among the ranks of its run, from torchrun's environment variables.
#pragma once

#include <cstdint>
#include <string>

#include "core/base/result.h"

namespace tidemark::comm {

struct ProcessInfo {
  int rank = 0;
  int worldSize = 1;
  int localRank = 0;
  int localWorldSize = 1;
  std::string masterAddress = "127.0.0.1";
  int masterPort = 0;

  // RANK, WORLD_SIZE, LOCAL_RANK, LOCAL_WORLD_SIZE, MASTER_ADDR, MASTER_PORT; a single rank where none is set.
  static Result<ProcessInfo> fromEnvironment();
};

}  // namespace tidemark::comm
