// Runs a test's body once per rank, each in a process of its own that is forked before libtorch has started a thread.
#pragma once

#include <chrono>
#include <functional>

#include "core/comm/communicator.h"
#include "core/comm/process_info.h"

namespace tidemark::test {

// Expectations that fail in a rank are printed there and fail the test here, as do exceptions, crashes and ranks that are
// still running after `limit` (they are killed). The calling process must not have used libtorch.
void forkRanks(int ranks, const std::function<void(comm::Communicator&)>& body,
               std::chrono::seconds limit = std::chrono::seconds(60));

// The same without connecting: the body gets what it needs to connect by itself.
void forkProcesses(int ranks, const std::function<void(const comm::ProcessInfo&)>& body,
                   std::chrono::seconds limit = std::chrono::seconds(60));

}  // namespace tidemark::test
