#include "ui/data/token_layout.h"

#include <algorithm>
#include <cstdlib>

namespace tidemark::ui {

void TokenLayout::place(const std::vector<ShownToken>& tokens, int64_t limit, int pageWidth,
                        const std::function<int(const QString&)>& widthOf) {
  chips_.clear();
  chips_.reserve(tokens.size());
  ruleTop_ = -1;
  int x = 0, y = 0;
  const auto newLine = [&] {
    if (x == 0) return;
    x = 0;
    y += kLineHeight;
  };
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (static_cast<int64_t>(i) == limit) {
      newLine();
      ruleTop_ = y;
      y += kRuleHeight;
    }
    const int width = std::clamp(widthOf(tokens[i].text) + 2 * kPadding, 2 * kPadding + 2, std::max(pageWidth, 2 * kPadding + 2));
    if (x + width > pageWidth) newLine();
    chips_.emplace_back(x, y, width, kChipHeight);
    x += width + kGap;
    if (tokens[i].endsLine) newLine();
  }
  newLine();
  height_ = y;
}

int TokenLayout::firstBelow(int y) const {
  const auto first = std::partition_point(chips_.begin(), chips_.end(), [y](const QRect& chip) { return chip.bottom() < y; });
  return static_cast<int>(first - chips_.begin());
}

int TokenLayout::at(const QPoint& point) const {
  for (auto i = static_cast<std::size_t>(firstBelow(point.y())); i < chips_.size() && chips_[i].top() <= point.y(); ++i)
    if (chips_[i].contains(point)) return static_cast<int>(i);
  return -1;
}

int TokenLayout::neighbour(int index, int lines) const {
  const QRect from = chips_[static_cast<std::size_t>(index)];
  int line = index;  // some chip of the wanted line
  while (line >= 0 && line < static_cast<int>(chips_.size()) && chips_[static_cast<std::size_t>(line)].top() == from.top()) line += lines;
  if (line < 0 || line >= static_cast<int>(chips_.size())) return index;
  const int top = chips_[static_cast<std::size_t>(line)].top();
  int best = line;
  const auto distance = [&](int chip) { return std::abs(chips_[static_cast<std::size_t>(chip)].center().x() - from.center().x()); };
  for (int i = line; i >= 0 && i < static_cast<int>(chips_.size()) && chips_[static_cast<std::size_t>(i)].top() == top; i += lines)
    if (distance(i) < distance(best)) best = i;
  return best;
}

}  // namespace tidemark::ui
