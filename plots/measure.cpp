#include "plots/measure.h"

#include <QCoreApplication>

#include "plots/quantity.h"

namespace tidemark::plots {
namespace {

QString tr(const char* text) { return QCoreApplication::translate("tidemark::plots::Measure", text); }

}  // namespace

AxisUnit axisUnitFor(Measure measure, double greatest) {
  if (measure == Measure::Bytes) {
    const ByteUnit unit = byteUnitFor(greatest);
    return {unit.divisor, unit.name};
  }
  if (measure != Measure::Seconds) return {};
  if (greatest < 120) return {1, tr("s")};
  return greatest < 7200 ? AxisUnit{60, tr("min")} : AxisUnit{3600, tr("h")};
}

QString measureText(Measure measure, double value) {
  switch (measure) {
    case Measure::Number: return decimalText(value, 4);
    case Measure::Whole: return countText(value);
    case Measure::Bytes: return bytesText(value);
    case Measure::Seconds: return durationText(value);
  }
  return {};
}

}  // namespace tidemark::plots
