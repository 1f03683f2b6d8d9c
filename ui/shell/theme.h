// The look of the window in light and dark: palette and style sheet over Qt's Fusion style.
#pragma once

#include <QPalette>
#include <QString>

#include "plots/plot_theme.h"

class QApplication;

namespace tidemark::ui {

enum class ColorScheme { Light, Dark };

QPalette paletteFor(ColorScheme scheme);
QString styleSheetFor(ColorScheme scheme);
plots::PlotTheme plotThemeFor(ColorScheme scheme);
// Fusion, font, palette and style sheet for the whole application.
void applyTheme(QApplication& application, ColorScheme scheme);

}  // namespace tidemark::ui
