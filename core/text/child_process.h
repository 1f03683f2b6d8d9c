// A child process with limits, talked to over one socket. Ends with its owner.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace tidemark::text {

struct ChildLimits {
  uint64_t memoryBytes = 0;     // address space
  uint64_t processorSeconds = 0;
};

class ChildProcess {
 public:
  // `arguments[0]` is the program's path. Standard input and output are the socket; nothing else is open.
  static Result<std::unique_ptr<ChildProcess>> start(const std::vector<std::string>& arguments, ChildLimits limits);
  ~ChildProcess();  // kills and reaps
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  // Sends `text` and receives exactly `lines` lines (without their ends) at the same time, so that neither side can
  // block the other. Fewer lines: the child ended, or wrote nothing for `silence`, and was killed.
  std::vector<std::string> exchange(std::string_view text, size_t lines, std::chrono::milliseconds silence);

  // Why exchange() came back short, in words; reaps the child.
  std::string describeEnd();

 private:
  ChildProcess(pid_t pid, int socket) : pid_(pid), socket_(socket) {}
  bool sendSome(std::string_view& text);
  bool receiveSome(std::vector<std::string>& lines, size_t wanted);

  pid_t pid_ = -1;
  int socket_ = -1;
  std::string partialLine_;
  bool wasSilent_ = false;
};

}  // namespace tidemark::text
