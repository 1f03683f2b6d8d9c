// Which colour is which space, as a row of swatches with their names.
#pragma once

class QWidget;

namespace tidemark::ui {

QWidget* makeSpaceLegend();

}  // namespace tidemark::ui
