// A plot of things in a row, one of which the pointer or the arrow keys point at: which one, its card and its description.
// Not responsible for drawing any of them.
#pragma once

#include <QPoint>

#include "plots/hover_card.h"
#include "plots/plot_frame.h"

namespace tidemark::plots {

class PointedPlot : public PlotFrame {
  Q_OBJECT
 public:
  using PlotFrame::PlotFrame;

  int pointed() const { return pointed_; }  // -1: at nothing
  void point(int item);                     // beyond the last: at the last
  QString cardText() const;                 // empty where nothing is pointed at

 signals:
  void pointedAt(int item);

 protected:
  struct Telling {
    HoverCard::Rows rows;
    QPoint place;  // of the card, in the QCustomPlot's coordinates
  };
  virtual int itemCount() const = 0;
  virtual int itemAt(const QPoint& position) const = 0;  // -1: none
  virtual Telling tell(int item) const = 0;
  virtual void pointedChanged() {}  // what the drawing shows of it
  virtual Qt::Orientation direction() const { return Qt::Horizontal; }

  // To be called when there are other items: points at nothing where the item is gone, else tells it anew. `summary`
  // describes the whole plot to who does not see it.
  void itemsChanged(const QString& summary);
  void pointerMoved(const QPoint& position) override;
  void pointerLeft() override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  void showCard();

  QString summary_;
  int pointed_ = -1;
};

}  // namespace tidemark::plots
