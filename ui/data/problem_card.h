// What is wrong with the dataset, kind by kind: how often, what follows from it, and a way to the next such row.
#pragma once

#include <array>

#include "ui/data/data_problem.h"
#include "ui/widgets/card.h"

class QLabel;
class QToolButton;

namespace tidemark::ui {

class ProblemCard : public Card {
  Q_OBJECT
 public:
  explicit ProblemCard(QWidget* parent = nullptr);

  void show(const DataSummary& summary, const RowLimit& limit);
  QToolButton* jumpButton(DataProblem problem) const { return entries_[static_cast<std::size_t>(problem)].jump; }

 signals:
  void jumpWanted(tidemark::ui::DataProblem problem);

 private:
  struct Entry {
    QWidget* line = nullptr;
    QLabel* count = nullptr;
    QLabel* name = nullptr;
    QLabel* advice = nullptr;
    QToolButton* jump = nullptr;  // none for problems of the whole file
  };
  Entry makeEntry(DataProblem problem);

  std::array<Entry, kDataProblems> entries_;
  QLabel* none_;
};

}  // namespace tidemark::ui
