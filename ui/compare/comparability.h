// Why the figures of runs that differ in data, template, sequence length or batch are not strictly comparable.
#pragma once

#include "ui/compare/comparison.h"

namespace tidemark::ui {

// Fills the warnings, the two answers about losses, and which of the setting rows break the comparison.
void judgeComparability(Comparison& comparison);

}  // namespace tidemark::ui
