// Activation bytes per operator: kept in forward as bars upwards, freed in backward downwards. Pointing at a bar (or the
// arrow keys) tells its operator; one operator can be highlighted from outside.
#pragma once

#include <vector>

#include "plots/plot_frame.h"
#include "plots/series.h"

class QCPBars;
class QCPItemRect;
class QCPItemText;

namespace tidemark::plots {

class OperatorBarPlot : public PlotFrame {
  Q_OBJECT
 public:
  explicit OperatorBarPlot(QWidget* parent = nullptr);

  void setBars(const std::vector<OperatorBar>& bars);
  const std::vector<OperatorBar>& bars() const { return bars_; }
  void setHighlight(int index);  // -1: none
  int highlight() const { return highlight_; }
  QString cardText() const;

 signals:
  void operatorPointedAt(int index);

 protected:
  void applyTheme(const PlotTheme& theme) override;
  void pointerMoved(const QPoint& position) override;
  void pointerLeft() override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  void showCard();

  std::vector<OperatorBar> bars_;
  int highlight_ = -1;
  double divisor_ = 1;
  QCPBars* kept_;
  QCPBars* recomputed_;
  QCPBars* freed_;
  QCPItemRect* mark_;
  QCPItemText* upText_;
  QCPItemText* downText_;
  QCPItemText* largestText_;
};

}  // namespace tidemark::plots
