// The operators of a run in a table that can be sorted.
#pragma once

#include <QWidget>

#include "ui/live/run_detail.h"

namespace tidemark::ui {

class Card;
class OperatorTableModel;

class OperatorsTab : public QWidget {
  Q_OBJECT
 public:
  explicit OperatorsTab(QWidget* parent = nullptr);
  void show(const RunDetail& detail);

 private:
  Card* card_;
  OperatorTableModel* model_;
};

}  // namespace tidemark::ui
