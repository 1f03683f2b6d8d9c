#include "core/launch/process_stat.h"

#include <fstream>
#include <iterator>
#include <sstream>

namespace tidemark::launch {

std::vector<std::string> statFields(int64_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  // Reading fails with ESRCH where the process ends after it was opened: getline() notes that, an istreambuf_iterator
  // would throw. The text has no zero byte.
  std::string text;
  std::getline(file, text, '\0');
  const auto end = text.rfind(')');
  if (end == std::string::npos) return {};
  std::istringstream rest(text.substr(end + 1));
  return {std::istream_iterator<std::string>(rest), {}};
}

}  // namespace tidemark::launch
