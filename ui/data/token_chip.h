// How one token looks: a chip, filled in the activation colour over a line where it carries loss, dotted and struck out where it
// lies beyond the limit. Shared by the tokens of a row and their legend.
#pragma once

#include <QFont>
#include <QRect>
#include <QWidget>

#include "ui/data/shown_row.h"

class QPainter;

namespace tidemark::ui {

struct ChipLook {
  bool isBeyond = false;   // the limit
  bool isCurrent = false;
};

QFont tokenFont();
void paintChip(QPainter& painter, const ShownToken& token, const QRect& chip, const ChipLook& look, const QPalette& palette);

// What the looks mean.
class TokenLegend : public QWidget {
  Q_OBJECT
 public:
  explicit TokenLegend(QWidget* parent = nullptr);
  QSize sizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  struct Entry {
    ShownToken token;
    ChipLook look;
  };
  std::vector<Entry> entries_;
};

}  // namespace tidemark::ui
