// A small card of label-value rows that floats over a plot. Takes no mouse events; texts are shown as plain text.
#pragma once

#include <QFrame>
#include <QList>
#include <QPair>
#include <QString>

class QGridLayout;
class QLabel;

namespace tidemark::plots {

struct PlotTheme;

class HoverCard : public QFrame {
  Q_OBJECT
 public:
  using Rows = QList<QPair<QString, QString>>;
  explicit HoverCard(QWidget* parent);

  void setTheme(const PlotTheme& theme);
  // Shows the rows beside `anchor` (parent coordinates), on whichever side there is room.
  void showRows(const Rows& rows, const QPoint& anchor);
  QString plainText() const;

 private:
  QGridLayout* grid_;
  QList<QPair<QLabel*, QLabel*>> labels_;
};

}  // namespace tidemark::plots
