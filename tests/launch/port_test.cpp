#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/launch/agent.h"

namespace tidemark::launch {
namespace {

TEST(Port, AFreeOneCanBeChosenAndNamed) {
  const auto port = choosePort(0);
  ASSERT_TRUE(port.ok());
  EXPECT_GT(*port, 1023);
  EXPECT_EQ(*choosePort(*port), *port);
}

TEST(Port, AUsedOneIsBusy) {
  const int handle = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  ASSERT_EQ(::bind(handle, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  ASSERT_EQ(::listen(handle, 1), 0);
  socklen_t size = sizeof address;
  ::getsockname(handle, reinterpret_cast<sockaddr*>(&address), &size);
  const auto port = choosePort(ntohs(address.sin_port));
  ASSERT_FALSE(port.ok());
  EXPECT_EQ(port.error().code, ErrorCode::Busy);
  ::close(handle);
}

TEST(Port, OutOfRangeIsRefused) { EXPECT_EQ(choosePort(70000).error().code, ErrorCode::InvalidConfig); }

}  // namespace
}  // namespace tidemark::launch
