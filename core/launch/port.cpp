#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "core/launch/agent.h"

namespace tidemark::launch {

Result<int64_t> choosePort(int64_t wanted) {
  const std::string subject = "port " + std::to_string(wanted);
  if (wanted < 0 || wanted > 65535)
    return Error{ErrorCode::InvalidConfig, subject, "a TCP port lies between 1 and 65535; set parallel.master_port to one, or to auto for a free one"};
  const int handle = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (handle < 0) return Error{ErrorCode::Io, "socket", std::strerror(errno)};
  const int yes = 1;  // as the ranks' store does, so that a port in TIME_WAIT counts as free
  ::setsockopt(handle, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);

  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<uint16_t>(wanted));
  const bool isBound = ::bind(handle, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  const int bindError = errno;
  socklen_t size = sizeof address;
  const bool isNamed = isBound && ::getsockname(handle, reinterpret_cast<sockaddr*>(&address), &size) == 0;
  ::close(handle);

  if (!isBound && bindError == EADDRINUSE) {
    return Error{ErrorCode::Busy, subject,
                 "another program uses it; choose another parallel.master_port, or auto for a free one"};
  }
  if (!isNamed) return Error{ErrorCode::Io, subject, std::strerror(isBound ? errno : bindError)};
  return int64_t{ntohs(address.sin_port)};
}

}  // namespace tidemark::launch
