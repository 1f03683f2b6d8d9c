// What all plots share: a QCustomPlot that fills the widget, theme, accessible description, vector output and a hover card.
// Not responsible for any series.
#pragma once

#include <QWidget>

#include "plots/plot_theme.h"

class QPainter;
class QCustomPlot;
class QCPAxis;

namespace tidemark::plots {

class HoverCard;

class PlotFrame : public QWidget {
  Q_OBJECT
 public:
  explicit PlotFrame(QWidget* parent = nullptr);

  void setTheme(const PlotTheme& theme);
  const PlotTheme& theme() const { return theme_; }
  // Draws the plot as vectors, for PDF, in the light theme, into (0, 0, size) of the painter's present coordinates.
  void drawVector(QPainter& painter, const QSize& size);

 protected:
  QCustomPlot* plot() const { return plot_; }
  HoverCard* card() const { return card_; }
  virtual void applyTheme(const PlotTheme& theme) = 0;  // the colours of what the subclass made
  virtual void pointerMoved(const QPoint& position) = 0;
  virtual void pointerLeft();
  virtual void layOut() {}  // what depends on the size
  void styleAxis(QCPAxis* axis, const QColor& labels) const;
  void replotSoon();  // coalesced: many changes in one turn of the event loop are one drawing
  bool eventFilter(QObject* watched, QEvent* event) override;
  void changeEvent(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void focusInEvent(QFocusEvent* event) override;

 private:
  void restyle();

  PlotTheme theme_ = PlotTheme::light();
  QCustomPlot* plot_;
  HoverCard* card_;
  bool showsFocus_ = false;  // came here by the keyboard
};

}  // namespace tidemark::plots
