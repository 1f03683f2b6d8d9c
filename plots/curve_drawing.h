// What the plots of curves share: the extent of curves, values between points, and handing both to QCustomPlot. Internal to
// plots: it names QCustomPlot's types.
#pragma once

#include <qcustomplot.h>

#include "plots/measure.h"
#include "plots/series.h"

namespace tidemark::plots {

struct Extent {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
  void include(double value);  // that are not finite do not count
  void include(const Curve& curve);
  bool isEmpty() const { return low > high; }
};

// The value at the greatest x that is not beyond `x`; not a number if there is none.
double valueAt(const Curve& curve, double x);

// Points that are not finite become gaps in the line.
void fill(QCPGraph* graph, const Curve& curve, const CurvePoint& divisor = {1, 1});

// The marker of a run, see run_mark.h.
QCPScatterStyle markerOf(int mark, const QColor& edge, const QColor& inside, double size);

// Whole numbers have no tick between them, and large ones are written short.
QSharedPointer<QCPAxisTicker> tickerFor(Measure measure);

}  // namespace tidemark::plots
