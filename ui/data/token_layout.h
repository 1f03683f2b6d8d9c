// Places tokens line by line like words on a page: a line ends after a token that ends one in the text, and before the cut.
// Geometry alone; draws nothing.
#pragma once

#include <QRect>
#include <functional>
#include <vector>

#include "ui/data/shown_row.h"

namespace tidemark::ui {

class TokenLayout {
 public:
  static constexpr int kChipHeight = 22, kLineHeight = 27, kGap = 3, kPadding = 5, kRuleHeight = 30;

  // `limit`: tokens before the cut. `widthOf` measures a token's text; no chip is wider than the page.
  void place(const std::vector<ShownToken>& tokens, int64_t limit, int pageWidth,
             const std::function<int(const QString&)>& widthOf);

  const std::vector<QRect>& chips() const { return chips_; }
  int height() const { return height_; }
  int ruleTop() const { return ruleTop_; }  // of the line that marks the cut; -1: nothing is cut
  int firstBelow(int y) const;              // index of the first chip whose bottom is below y
  int at(const QPoint& point) const;        // -1: no chip there
  // The chip in the line above (-1) or below (+1) that is nearest; `index` itself where there is no such line.
  int neighbour(int index, int lines) const;

 private:
  std::vector<QRect> chips_;
  int height_ = 0, ruleTop_ = -1;
};

}  // namespace tidemark::ui
