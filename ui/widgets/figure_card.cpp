#include "ui/widgets/figure_card.h"

#include <QLabel>
#include <QVBoxLayout>

#include "ui/widgets/card.h"

namespace tidemark::ui {

FigureCard::FigureCard(QWidget* parent)
    : QFrame(parent), name_(makeLabel({}, "muted")), value_(makeLabel({}, "figure")), note_(makeLabel({}, "muted")) {
  setProperty("card", true);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(14, 9, 14, 9);
  layout->setSpacing(1);
  for (QLabel* label : {name_, value_, note_}) {
    layout->addWidget(label);
    label->setMinimumWidth(1);  // a long note is cut off rather than widening the row of cards; the tooltip has it whole
  }
}

void FigureCard::setFigure(const Figure& figure) {
  name_->setText(figure.name);
  value_->setText(figure.value);
  note_->setText(figure.note);
  setToolTip(figure.note.isEmpty() ? figure.help : figure.help + QLatin1Char('\n') + figure.note);
  setAccessibleName(figure.name);
  setAccessibleDescription(figure.value + QStringLiteral(", ") + figure.note);
}

}  // namespace tidemark::ui
