#include <ATen/ATen.h>
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <csignal>

#include "tests/comm/forked_ranks.h"

namespace tidemark::comm {
namespace {

using Clock = std::chrono::steady_clock;

class LostPeer : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Ranks, LostPeer, testing::Values(2, 3, 4));

std::unique_ptr<Communicator> connected(const ProcessInfo& info) {
  auto communicator = Communicator::connect(info, BackendKind::Gloo, c10::Device(c10::kCPU));
  if (!communicator.ok()) throw std::runtime_error(communicator.error().message());
  (*communicator)->barrier();
  return std::move(communicator).value();
}

// The last rank leaves as an orderly process would after a crash: without a word, its sockets closed.
void leaveIfLast(const ProcessInfo& info) {
  if (info.rank == info.worldSize - 1) ::_exit(0);
}

TEST_P(LostPeer, ACollectiveThrowsWithinSeconds) {
  test::forkProcesses(GetParam(), [](const ProcessInfo& info) {
    auto c = connected(info);
    leaveIfLast(info);
    const auto start = Clock::now();
    at::Tensor t = at::ones({1000});
    EXPECT_THROW(for (int i = 0; i < 100; ++i) c->sum(t), std::runtime_error);
    EXPECT_LT(Clock::now() - start, std::chrono::seconds(10));
  });
}

// Gathers under way are released while the exception travels: that must not end the process.
TEST_P(LostPeer, PendingGathersCanBeReleased) {
  test::forkProcesses(GetParam(), [](const ProcessInfo& info) {
    auto c = connected(info);
    leaveIfLast(info);
    const auto start = Clock::now();
    bool hasThrown = false;
    try {
      std::vector<std::unique_ptr<Pending>> pending;
      for (int i = 0; i < 4; ++i) pending.push_back(c->broadcastWeights(at::zeros({1 << 20}), info.worldSize - 1));
      for (const auto& p : pending) p->wait();
    } catch (const std::runtime_error&) {
      hasThrown = true;
    }
    EXPECT_TRUE(hasThrown);
    EXPECT_LT(Clock::now() - start, std::chrono::seconds(10));
  });
}

TEST(Connect, APortInUseIsBusy) {
  const int handle = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_ANY);
  ASSERT_EQ(::bind(handle, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  ASSERT_EQ(::listen(handle, 8), 0);
  socklen_t size = sizeof address;
  ::getsockname(handle, reinterpret_cast<sockaddr*>(&address), &size);
  test::forkProcesses(1, [&](ProcessInfo info) {
    info.worldSize = 2;
    info.masterPort = ntohs(address.sin_port);
    const auto communicator = Communicator::connect(info, BackendKind::Gloo, c10::Device(c10::kCPU));
    ASSERT_FALSE(communicator.ok());
    EXPECT_EQ(communicator.error().code, ErrorCode::Busy) << communicator.error().message();
    EXPECT_NE(communicator.error().message().find(std::to_string(info.masterPort)), std::string::npos);
  });
  ::close(handle);
}

TEST(Connect, OneRankNeedsNobody) {
  test::forkRanks(1, [](Communicator& c) {
    EXPECT_EQ(c.rank(), 0);
    EXPECT_EQ(c.size(), 1);
    EXPECT_EQ(c.receivedBytes(), 0);
  });
}

}  // namespace
}  // namespace tidemark::comm
