// How a run's status is told: word, symbol and colour. Not by colour alone.
#pragma once

#include <QColor>
#include <QString>

#include "storage/run_store.h"

namespace tidemark::ui {

QString statusWord(storage::RunStatus status);
QString statusSymbol(storage::RunStatus status);  // one character
QColor statusColor(storage::RunStatus status);
bool isActive(storage::RunStatus status);         // its agent should be alive
bool canResume(storage::RunStatus status);

}  // namespace tidemark::ui
