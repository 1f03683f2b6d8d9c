// One figure that a page leads with: what it is, its value, and what to compare it with.
#pragma once

#include <QFrame>

class QLabel;

namespace tidemark::ui {

struct Figure {
  QString name, value, note, help;  // help: the tooltip, with the unit
};

class FigureCard : public QFrame {
  Q_OBJECT
 public:
  explicit FigureCard(QWidget* parent = nullptr);
  void setFigure(const Figure& figure);

 private:
  QLabel* name_;
  QLabel* value_;
  QLabel* note_;
};

}  // namespace tidemark::ui
