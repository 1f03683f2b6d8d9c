#include "app/cli/table.h"

#include <algorithm>
#include <cstdint>
#include <iterator>

#include "app/cli/words.h"
#include "core/base/printable.h"

namespace tidemark::cli {
namespace {

struct Span {
  uint32_t first, last;
};

// After wcwidth by Markus Kuhn (2007), with the emojis that came later.
constexpr Span kWide[] = {{0x1100, 0x115F},   {0x2E80, 0x303E},   {0x3041, 0xA4CF},   {0xAC00, 0xD7A3},   {0xF900, 0xFAFF},
                          {0xFE30, 0xFE6F},   {0xFF00, 0xFF60},   {0xFFE0, 0xFFE6},   {0x1F300, 0x1F64F}, {0x1F680, 0x1F6FF},
                          {0x1F900, 0x1F9FF}, {0x20000, 0x3FFFD}};
constexpr Span kCombining[] = {{0x0300, 0x036F}, {0x0483, 0x0489}, {0x0591, 0x05BD}, {0x064B, 0x065F}, {0x0E34, 0x0E3A},
                               {0x200B, 0x200F}, {0x20D0, 0x20FF}, {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F}, {0xE0100, 0xE01EF}};

template <size_t N>
bool isIn(const Span (&spans)[N], uint32_t point) {
  return std::any_of(std::begin(spans), std::end(spans), [&](const Span& s) { return point >= s.first && point <= s.last; });
}

size_t columnsOfPoint(uint32_t point) { return isIn(kCombining, point) ? 0 : isIn(kWide, point) ? 2 : 1; }

// The code point that begins at `index` of valid UTF-8; moves `index` behind it.
uint32_t takePoint(const std::string& text, size_t& index) {
  const auto lead = static_cast<unsigned char>(text[index++]);
  uint32_t point = lead < 0x80 ? lead : lead & (lead < 0xE0 ? 0x1Fu : lead < 0xF0 ? 0x0Fu : 0x07u);
  while (index < text.size() && (static_cast<unsigned char>(text[index]) & 0xC0) == 0x80)
    point = point << 6 | (static_cast<unsigned char>(text[index++]) & 0x3Fu);
  return point;
}

}  // namespace

size_t columnsOf(const std::string& line) {
  size_t columns = 0;
  for (size_t i = 0; i < line.size();) columns += columnsOfPoint(takePoint(line, i));
  return columns;
}

std::string elided(const std::string& text, size_t columns) {
  const std::string line = oneLine(text);
  size_t used = 0, cut = 0;  // the longest part that leaves room for the ellipsis
  for (size_t i = 0; i < line.size();) {
    used += columnsOfPoint(takePoint(line, i));
    if (used > columns) return line.substr(0, cut) + "…";
    if (used < columns) cut = i;
  }
  return line;
}

std::vector<std::string> tableLines(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::vector<std::string>> cells;
  std::vector<size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()), 0);
    cells.emplace_back();
    for (size_t i = 0; i < row.size(); ++i) {
      cells.back().push_back(oneLine(row[i]));
      widths[i] = std::max(widths[i], columnsOf(cells.back().back()));
    }
  }
  std::vector<std::string> lines;
  for (const auto& row : cells) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i) {
      line += row[i];
      if (i + 1 < row.size()) line += std::string(widths[i] - columnsOf(row[i]) + 2, ' ');
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

void printTable(const std::vector<std::vector<std::string>>& rows) {
  for (const std::string& line : tableLines(rows)) print(line);
}

}  // namespace tidemark::cli
