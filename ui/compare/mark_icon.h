// A run's mark as an icon, for headers and lists.
#pragma once

#include <QIcon>

#include "plots/plot_theme.h"

namespace tidemark::ui {

// `mark`: see plots/run_mark.h.
QIcon markIcon(int mark, const plots::PlotTheme& theme);

}  // namespace tidemark::ui
