// Numbers with units as the workbench writes them, in plots and pages alike.
#pragma once

#include <QString>

namespace tidemark::plots {

QString bytesText(double bytes);                     // "1.15 GiB", "155 MiB", "0 B"
QString signedBytesText(double bytes);               // "+3.40 MiB", "−3.40 MiB"
QString durationText(double seconds);                // "9 min", "1 h 20 min", "12 s", "340 ms"
QString countText(double count);                     // "1,000", "135 M"
QString decimalText(double value, int significant);  // locale's separators; no exponent for everyday magnitudes

// Divisor and name of the unit that suits values up to `greatest` bytes.
struct ByteUnit {
  double divisor = 1;
  QString name;
};
ByteUnit byteUnitFor(double greatest);
QString numberIn(const ByteUnit& unit, double bytes);  // without the unit's name

}  // namespace tidemark::plots
