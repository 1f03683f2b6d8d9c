#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <string>

#include "core/launch/process_stat.h"
#include "core/launch/worker_process.h"

namespace tidemark::launch {
namespace {

bool isChild(const std::string& pid) {
  const auto fields = statFields(std::stoll(pid));
  constexpr size_t kParent = 1;
  return fields.size() > kParent && fields[kParent] == std::to_string(::getpid());
}

}  // namespace

std::vector<pid_t> childProcesses() {
  std::vector<pid_t> children;
  std::error_code error;
  for (std::filesystem::directory_iterator entry("/proc", error), end; !error && entry != end; entry.increment(error)) {
    const auto name = entry->path().filename().string();
    const bool isProcess = std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; });
    if (isProcess && isChild(name)) children.push_back(static_cast<pid_t>(std::stol(name)));
  }
  return children;
}

void endStrayChildren(const std::vector<pid_t>& known) {
  // Each child that ends hands its own children to this process, so the list is read until nothing is left.
  for (;;) {
    std::vector<pid_t> strays;
    for (const pid_t child : childProcesses()) {
      if (std::find(known.begin(), known.end(), child) == known.end()) strays.push_back(child);
    }
    if (strays.empty()) return;
    for (const pid_t stray : strays) ::kill(stray, SIGKILL);
    for (const pid_t stray : strays) ::waitpid(stray, nullptr, 0);
  }
}

}  // namespace tidemark::launch
