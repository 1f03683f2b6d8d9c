#include "core/launch/log_tail.h"

#include <algorithm>
#include <deque>
#include <fstream>

#include "core/base/printable.h"

namespace tidemark::launch {
namespace {

constexpr int64_t kTailBytes = 64 << 10;
constexpr size_t kLineBytes = 500;

}  // namespace

std::string logTail(const std::filesystem::path& path, int64_t from, int lines) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) return {};
  const int64_t size = file.tellg();
  file.seekg(std::max(from, size - kTailBytes));
  std::deque<std::string> last;
  for (std::string line; std::getline(file, line);) {
    if (line.empty()) continue;
    if (line.size() > kLineBytes) line = line.substr(0, kLineBytes) + " ...";
    last.push_back(line);
    if (last.size() > static_cast<size_t>(lines)) last.pop_front();
  }
  std::string text;
  for (const auto& line : last) text += (text.empty() ? "" : "\n") + line;
  return printable(text);
}

}  // namespace tidemark::launch
