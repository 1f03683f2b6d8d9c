// The row that is looked at: its tokens, its text as the model sees it, its source line.
#pragma once

#include "ui/data/data_problem.h"
#include "ui/data/shown_row.h"
#include "ui/widgets/card.h"

class QPlainTextEdit;
class QStackedWidget;
class QTabBar;

namespace tidemark::plots {
struct PlotTheme;
}

namespace tidemark::ui {

class TokenView;

class RowCard : public Card {
  Q_OBJECT
 public:
  enum class View { Tokens, Text, Source };
  explicit RowCard(QWidget* parent = nullptr);

  void clear();
  void announce(int64_t line);  // the row is being read
  void show(const ShownRow& row);
  void setLimit(const RowLimit& limit);
  void setTheme(const plots::PlotTheme& theme);
  void setView(View view);
  const ShownRow& row() const { return row_; }
  TokenView* tokenView() const { return tokens_; }

 private:
  void showCaption();
  void showView();

  ShownRow row_;
  RowLimit limit_;
  QTabBar* tabs_;
  QLabel* problem_;
  QStackedWidget* stack_;
  TokenView* tokens_;
  QPlainTextEdit* text_;
  QPlainTextEdit* source_;
  View chosen_ = View::Tokens;
};

}  // namespace tidemark::ui
