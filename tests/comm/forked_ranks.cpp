#include "tests/comm/forked_ranks.h"

#include <ATen/Parallel.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <thread>
#include <vector>

#include "core/launch/agent.h"

namespace tidemark::test {
namespace {

[[noreturn]] void runRank(const comm::ProcessInfo& info, const std::function<void(const comm::ProcessInfo&)>& body) {
  std::signal(SIGPIPE, SIG_IGN);  // as the worker does
  bool hasThrown = false;
  try {
    at::set_num_threads(1);
    body(info);
  } catch (const std::exception& e) {
    hasThrown = true;
    ADD_FAILURE() << "rank " << info.rank << " threw: " << e.what();
  }
  std::fflush(nullptr);
  ::_exit(testing::Test::HasFailure() || hasThrown ? 1 : 0);
}

std::string howItEnded(int status) {
  if (WIFSIGNALED(status)) return "was killed by signal " + std::to_string(WTERMSIG(status));
  return "left with status " + std::to_string(WEXITSTATUS(status)) + "; see its output above";
}

}  // namespace

void forkProcesses(int ranks, const std::function<void(const comm::ProcessInfo&)>& body, std::chrono::seconds limit) {
  const auto port = launch::choosePort(0);
  ASSERT_TRUE(port.ok()) << port.error().message();
  std::fflush(nullptr);
  std::vector<pid_t> running;
  for (int rank = 0; rank < ranks; ++rank) {
    comm::ProcessInfo info{rank, ranks, rank, ranks, "127.0.0.1", static_cast<int>(*port)};
    const pid_t pid = ::fork();
    if (pid == 0) runRank(info, body);
    ASSERT_GT(pid, 0) << "fork failed";
    running.push_back(pid);
  }
  const auto end = std::chrono::steady_clock::now() + limit;
  for (int rank = 0; rank < ranks; ++rank) {
    const pid_t pid = running[static_cast<size_t>(rank)];
    int status = 0;
    while (::waitpid(pid, &status, WNOHANG) == 0) {
      if (std::chrono::steady_clock::now() > end) {
        ADD_FAILURE() << "rank " << rank << " of " << ranks << " was still running after " << limit.count() << " s";
        ::kill(pid, SIGKILL);
        ::waitpid(pid, &status, 0);
        break;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    EXPECT_EQ(status, 0) << "rank " << rank << " of " << ranks << " " << howItEnded(status);
  }
}

void forkRanks(int ranks, const std::function<void(comm::Communicator&)>& body, std::chrono::seconds limit) {
  forkProcesses(ranks, [&](const comm::ProcessInfo& info) {
    auto communicator = comm::Communicator::connect(info, comm::BackendKind::Gloo, c10::Device(c10::kCPU));
    if (!communicator.ok()) throw std::runtime_error(communicator.error().message());
    body(**communicator);
    (*communicator)->barrier();
  }, limit);
}

}  // namespace tidemark::test
