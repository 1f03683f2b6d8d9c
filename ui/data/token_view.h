// The tokens of one row: those with loss in the activation colour over a line, those beyond the cut struck out. Pointing at one
// or moving to it with the arrow keys tells its id. Draws only what is in sight.
#pragma once

#include <QAbstractScrollArea>
#include <QHash>

#include "ui/data/data_problem.h"
#include "ui/data/shown_row.h"
#include "ui/data/token_layout.h"

namespace tidemark::plots {
class HoverCard;
struct PlotTheme;
}  // namespace tidemark::plots

namespace tidemark::ui {

class TokenView : public QAbstractScrollArea {
  Q_OBJECT
 public:
  explicit TokenView(QWidget* parent = nullptr);

  void setTokens(const std::vector<ShownToken>& tokens);
  void setLimit(const RowLimit& limit);
  void setTheme(const plots::PlotTheme& theme);
  const std::vector<ShownToken>& tokens() const { return tokens_; }
  const TokenLayout& chips() const { return layout_; }
  int current() const { return current_; }  // -1: none
  QString cardText() const;
  QString cutText() const;  // what the line at the cut says

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void changeEvent(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  bool viewportEvent(QEvent* event) override;
  void scrollContentsBy(int dx, int dy) override;

 private:
  void placeTokens();
  void setCurrent(int index);
  void showCard();
  void paintCut(QPainter& painter, int top) const;
  bool isBeyond(int index) const { return index >= limit_.maxSequenceLength; }
  int scrolled() const;

  std::vector<ShownToken> tokens_;
  RowLimit limit_;
  TokenLayout layout_;
  QHash<QString, int> widths_;
  int current_ = -1;
  plots::HoverCard* card_;
};

}  // namespace tidemark::ui
