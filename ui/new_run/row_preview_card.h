// One row of the chosen data as this model sees it: its tokens, those with loss coloured, with a way to the rows around it.
#pragma once

#include "ui/data/data_problem.h"
#include "ui/live/row_preview.h"
#include "ui/widgets/card.h"

class QToolButton;

namespace tidemark::plots {
struct PlotTheme;
}

namespace tidemark::ui {

class TokenView;

class RowPreviewCard : public Card {
  Q_OBJECT
 public:
  explicit RowPreviewCard(QWidget* parent = nullptr);

  void clear();
  // `rowCount`: of the file as far as it was checked; 0: unknown.
  void show(const PreviewedRow& row, int64_t rowCount);
  void setLimit(const RowLimit& limit);
  void setTheme(const plots::PlotTheme& theme);
  TokenView* tokenView() const { return tokens_; }
  int64_t index() const { return index_; }

 signals:
  void rowWanted(int64_t index);

 private:
  void showButtons();

  int64_t index_ = 0, rowCount_ = 0;
  TokenView* tokens_;
  QLabel* problem_;
  QToolButton* previous_;
  QToolButton* next_;
};

}  // namespace tidemark::ui
