// The predicted peak of one rank as a bar: its parts in the spaces' colours one after the other, and a dashed line at the
// budget. Where nothing fits, the least that is needed as a hatched bar beyond that line.
#pragma once

#include <QWidget>

#include "ui/models/fit_view.h"

namespace tidemark::ui {

class FitBar : public QWidget {
  Q_OBJECT
 public:
  explicit FitBar(QWidget* parent = nullptr);

  void setView(const FitView& view);
  QSize sizeHint() const override;
  // Left edge, in pixels, of what stands for `bytes`.
  int xOf(double bytes) const;

 protected:
  void paintEvent(QPaintEvent* event) override;
  bool event(QEvent* event) override;

 private:
  struct Piece {
    QString name;
    QColor color;
    double bytes = 0;
  };
  std::vector<Piece> pieces() const;
  double greatest() const;

  FitView view_;
};

}  // namespace tidemark::ui
