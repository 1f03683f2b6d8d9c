#include "core/launch/log_tail.h"

#include <algorithm>
#include <deque>
#include <fstream>
#include <sstream>

namespace tidemark::launch {
namespace {

constexpr int64_t kTailBytes = 64 << 10;
constexpr size_t kLineBytes = 500;

// Length of the UTF-8 sequence that starts at `index`, 0 if it is none (overlong forms and surrogates included).
size_t sequenceLength(const std::string& text, size_t index) {
  const auto byte = [&](size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  const unsigned first = byte(index), second = byte(index + 1);
  const auto continues = [&](size_t i) { return (byte(i) & 0xC0u) == 0x80u; };
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return continues(index + 1) ? 2 : 0;
  if (first >= 0xE0 && first <= 0xEF) {
    const bool isValid = !(first == 0xE0 && second < 0xA0) && !(first == 0xED && second > 0x9F);
    return isValid && continues(index + 1) && continues(index + 2) ? 3 : 0;
  }
  if (first >= 0xF0 && first <= 0xF4) {
    const bool isValid = !(first == 0xF0 && second < 0x90) && !(first == 0xF4 && second > 0x8F);
    return isValid && continues(index + 1) && continues(index + 2) && continues(index + 3) ? 4 : 0;
  }
  return 0;
}

}  // namespace

std::string printable(std::string text) {
  for (size_t i = 0; i < text.size();) {
    const size_t length = sequenceLength(text, i);
    if (length == 0) text[i] = '?';
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte < 0x20 && byte != '\n' && byte != '\t') || byte == 0x7F) text[i] = ' ';
    i += std::max<size_t>(length, 1);
  }
  return text;
}

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
