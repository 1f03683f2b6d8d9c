// What all plots share: a QCustomPlot that fills the widget, theme, accessible description, a hover card, vector output, and
// saving as a file from the context menu or with Ctrl+S.
// Not responsible for any series.
#pragma once

#include <QWidget>

#include <vector>

#include "plots/plot_file.h"
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

  // What a saved picture is called: what the plot shows, and of which run. Default: the accessible name.
  void setPictureTitle(const QString& title) { pictureTitle_ = title; }
  QString pictureTitle() const { return pictureTitle_.isEmpty() ? accessibleName() : pictureTitle_; }
  virtual std::vector<LegendEntry> legend() const { return {}; }  // what the colours mean, in the light theme
  void askWhereToSave();
  void copyPicture();

 protected:
  QCustomPlot* plot() const { return plot_; }
  HoverCard* card() const { return card_; }
  virtual void applyTheme(const PlotTheme& theme) = 0;  // the colours of what the subclass made
  virtual void pointerMoved(const QPoint& position) = 0;
  virtual void pointerLeft();
  virtual void layOut() {}  // what depends on the size; called on every resize
  void styleAxis(QCPAxis* axis, const QColor& labels) const;
  void replotSoon();  // coalesced: many changes in one turn of the event loop are one drawing
  bool eventFilter(QObject* watched, QEvent* event) override;
  void changeEvent(QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void focusInEvent(QFocusEvent* event) override;

 private:
  void restyle();
  void makeActions();
  void tell(const QString& what, const QString& detail);

  PlotTheme theme_ = PlotTheme::light();
  QCustomPlot* plot_;
  HoverCard* card_;
  QString pictureTitle_;
  bool showsFocus_ = false;  // came here by the keyboard
};

}  // namespace tidemark::plots
