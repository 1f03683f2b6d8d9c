// What fits: the predicted peak as a bar against the budget, micro-batch, traffic and speed, what binds, and single changes that
// would be faster or smaller. Shows what it is given; predicts nothing.
#pragma once

#include "ui/models/fit_view.h"
#include "ui/widgets/card.h"

class QGridLayout;
class QToolButton;

namespace tidemark::ui {

class FitBar;

class FitCard : public Card {
  Q_OBJECT
 public:
  enum class Progress { Settled, Computing, Profiling };
  explicit FitCard(QWidget* parent = nullptr);

  void show(const FitView& view);
  void setProgress(Progress progress);
  // Whether the form is far enough for a profile; the reason if not.
  void setCanProfile(bool can, const QString& reason);
  const FitView& view() const { return view_; }
  FitBar* bar() const { return bar_; }

 signals:
  void profileWanted();
  void stopWanted();
  void changeWanted(const QString& key, const QString& value);

 private:
  void showFigures();
  void showAlternatives();
  void showProgress();
  void addFigure(const QString& name, const QString& value, const QString& remark);

  FitView view_;
  Progress progress_ = Progress::Settled;
  QLabel* heading_;
  FitBar* bar_;
  QWidget* legend_;
  QLabel* problem_;
  QWidget* figures_;
  QGridLayout* grid_;
  int figureCount_ = 0;
  QLabel* alternativesTitle_;
  QGridLayout* alternatives_;
  QToolButton* profile_;
};

// "Frozen weights: nf4".
QString changeText(const QString& key, const QString& value);

}  // namespace tidemark::ui
