#include "plots/quantity.h"

#include <QCoreApplication>
#include <QLocale>
#include <algorithm>
#include <array>
#include <cmath>

namespace tidemark::plots {
namespace {

QString tr(const char* text) { return QCoreApplication::translate("tidemark::plots::Quantity", text); }

}  // namespace

QString decimalText(double value, int significant) {
  if (!std::isfinite(value)) return tr("not a number");
  if (value == 0) return QLocale().toString(0);
  const int magnitude = static_cast<int>(std::floor(std::log10(std::abs(value))));
  if (magnitude < -5 || magnitude > 14) return QLocale().toString(value, 'g', significant);
  return QLocale().toString(value, 'f', std::max(0, significant - 1 - magnitude));
}

ByteUnit byteUnitFor(double greatest) {
  static constexpr std::array kNames{"B", "KiB", "MiB", "GiB", "TiB"};
  double divisor = 1;
  std::size_t unit = 0;
  // The command line changes units at the same place.
  while (std::abs(greatest) / divisor >= 999.5 && unit + 1 < kNames.size()) {
    divisor *= 1024;
    ++unit;
  }
  return {divisor, QString::fromLatin1(kNames[unit])};
}

QString numberIn(const ByteUnit& unit, double bytes) {
  const double value = bytes / unit.divisor;
  const int decimals = unit.divisor == 1 || value == 0 || std::abs(value) >= 99.95 ? 0 : std::abs(value) >= 9.995 ? 1 : 2;
  return QLocale().toString(value, 'f', decimals);
}

QString bytesText(double bytes) {
  const ByteUnit unit = byteUnitFor(bytes);
  return tr("%1 %2").arg(numberIn(unit, bytes), unit.name);
}

QString signedBytesText(double bytes) {
  const QString sign = bytes < 0 ? QStringLiteral("\u2212") : QStringLiteral("+");
  return sign + bytesText(std::abs(bytes));
}

QString durationText(double seconds) {
  if (!std::isfinite(seconds) || seconds < 0) return tr("unknown");
  if (seconds < 1) return tr("%1 ms").arg(QLocale().toString(std::llround(seconds * 1000)));
  const qint64 whole = std::llround(seconds);
  if (whole < 10) return tr("%1 s").arg(decimalText(seconds, 2));
  if (whole < 60) return tr("%1 s").arg(whole);
  if (whole < 3600) return tr("%1 min").arg((whole + 30) / 60);
  const qint64 minutes = (whole + 30) / 60;
  if (minutes < 24 * 60) return tr("%1 h %2 min").arg(minutes / 60).arg(minutes % 60);
  return tr("%1 d %2 h").arg(minutes / 1440).arg(minutes % 1440 / 60);
}

QString countText(double count) {
  const double size = std::abs(count);
  if (size < 100'000) return QLocale().toString(std::llround(count));
  if (size < 1e6) return tr("%1 k").arg(decimalText(count / 1e3, 3));
  if (size < 1e9) return tr("%1 M").arg(decimalText(count / 1e6, 3));
  return tr("%1 B").arg(decimalText(count / 1e9, 3));
}

}  // namespace tidemark::plots
