// Colours of the plots. The spaces' colours are the same everywhere, in light, dark and in reports; all else follows a theme.
#pragma once

#include <QColor>

namespace tidemark::plots {

enum class Space { Static, Dynamic, Activation, Workspace, Trainable };
QColor spaceColor(Space space);

struct PlotTheme {
  QColor background, text, muted, grid, accent, second, card, cardBorder;
  static PlotTheme light();
  static PlotTheme dark();
};

}  // namespace tidemark::plots
