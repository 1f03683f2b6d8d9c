// What a number on an axis measures, and how it is written there and in cards.
#pragma once

#include <QString>

namespace tidemark::plots {

enum class Measure { Number, Whole, Bytes, Seconds };  // Whole: steps, tokens, operators

// What the values of an axis are divided by, and the unit's name after that; empty where there is none.
struct AxisUnit {
  double divisor = 1;
  QString name;
};
AxisUnit axisUnitFor(Measure measure, double greatest);

QString measureText(Measure measure, double value);  // with its unit

}  // namespace tidemark::plots
