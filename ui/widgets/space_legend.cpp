#include "ui/widgets/space_legend.h"

#include <QCoreApplication>
#include <QHBoxLayout>
#include <QLabel>

#include "plots/plot_theme.h"
#include "ui/widgets/card.h"

namespace tidemark::ui {
namespace {

QString tr(const char* text) { return QCoreApplication::translate("tidemark::ui::SpaceLegend", text); }

}  // namespace

QWidget* makeSpaceLegend() {
  auto* legend = new QWidget;
  auto* layout = new QHBoxLayout(legend);
  layout->setContentsMargins(8, 0, 0, 0);
  layout->setSpacing(6);
  const std::pair<plots::Space, QString> spaces[] = {{plots::Space::Activation, tr("activation")},
                                                     {plots::Space::Dynamic, tr("dynamic cache")},
                                                     {plots::Space::Static, tr("static cache")},
                                                     {plots::Space::Trainable, tr("trainable state")},
                                                     {plots::Space::Workspace, tr("workspace")}};
  for (const auto& [space, name] : spaces) {
    auto* swatch = new QLabel;
    swatch->setFixedSize(12, 12);
    swatch->setStyleSheet(QStringLiteral("background:%1;border-radius:2px").arg(plots::spaceColor(space).name()));
    layout->addWidget(swatch);
    layout->addWidget(makeLabel(name, "muted"));
    layout->addSpacing(10);
  }
  return legend;
}

}  // namespace tidemark::ui
