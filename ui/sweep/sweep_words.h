// How the states of sweeps and of their points are told: a word, a symbol and a colour, so that nothing is told by colour alone.
#pragma once

#include <QColor>
#include <QString>

#include "core/sweep/sweep.h"
#include "storage/sweep_record.h"

namespace tidemark::ui {

QString stateText(storage::PointState state);  // "✓ Completed"
QColor stateColor(storage::PointState state);
QString statusText(storage::SweepStatus status);
QString objectiveText(const std::string& objective);  // "Evaluation loss", of "eval_loss"
bool isGreaterBetter(const std::string& objective);
// Of the completed points; -1: none has a figure.
int64_t bestPoint(const std::vector<storage::SweepPoint>& points, const std::string& objective);

}  // namespace tidemark::ui
