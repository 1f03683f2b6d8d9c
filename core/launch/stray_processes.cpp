#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <iterator>
#include <sstream>

#include "core/launch/worker_process.h"

namespace tidemark::launch {
namespace {

pid_t parentOf(const std::string& pid) {
  std::ifstream file("/proc/" + pid + "/stat");
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  const auto end = text.rfind(')');
  if (end == std::string::npos) return 0;
  std::istringstream rest(text.substr(end + 1));
  char state = 0;
  pid_t parent = 0;
  rest >> state >> parent;
  return parent;
}

}  // namespace

std::vector<pid_t> childProcesses() {
  std::vector<pid_t> children;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", error)) {
    const auto name = entry.path().filename().string();
    const bool isProcess = std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; });
    if (isProcess && parentOf(name) == ::getpid()) children.push_back(static_cast<pid_t>(std::stol(name)));
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
