#include "ui/new_run/fit_bar.h"

#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>

#include "plots/plot_theme.h"
#include "plots/quantity.h"

namespace tidemark::ui {
namespace {

constexpr int kHeight = 40, kBarTop = 6, kBarHeight = 28;
constexpr double kRoomBeyond = 1.04;  // so that the line at the budget does not lie on the edge

}  // namespace

FitBar::FitBar(QWidget* parent) : QWidget(parent) {
  setFixedHeight(kHeight);
  setAccessibleName(tr("Predicted peak by component"));
}

QSize FitBar::sizeHint() const { return {300, kHeight}; }

std::vector<FitBar::Piece> FitBar::pieces() const {
  using plots::Space;
  return {{tr("trainable state"), plots::spaceColor(Space::Trainable), view_.trainableBytes},
          {tr("static cache"), plots::spaceColor(Space::Static), view_.staticBytes},
          {tr("dynamic cache"), plots::spaceColor(Space::Dynamic), view_.dynamicBytes},
          {tr("activation"), plots::spaceColor(Space::Activation), view_.activationBytes},
          {tr("workspace"), plots::spaceColor(Space::Workspace), view_.workspaceBytes}};
}

double FitBar::greatest() const {
  const double most = view_.fits ? view_.peakBytes() : view_.leastBudgetBytes;
  // A budget that is far beyond what is needed would leave the bar too short to read: it lies at the end then.
  const double budget = view_.fits && view_.budgetBytes > 4 * most ? 1.3 * most : view_.budgetBytes;
  return std::max({most, budget, 1.0}) * kRoomBeyond;
}

int FitBar::xOf(double bytes) const { return static_cast<int>(std::min(1.0, bytes / greatest()) * (width() - 1)); }

void FitBar::setView(const FitView& view) {
  view_ = view;
  QStringList parts;
  if (view_.fits) {
    for (const Piece& piece : pieces()) parts << tr("%1: %2").arg(piece.name, plots::bytesText(piece.bytes));
    parts << tr("together: %1").arg(plots::bytesText(view_.peakBytes()));
  } else if (view_.leastBudgetBytes > 0) {
    parts << tr("at least %1 needed").arg(plots::bytesText(view_.leastBudgetBytes));
  }
  if (view_.budgetBytes > 0) parts << tr("budget: %1").arg(plots::bytesText(view_.budgetBytes));
  setAccessibleDescription(parts.join(QStringLiteral(", ")));
  setToolTip(parts.join(QLatin1Char('\n')));
  update();
}

bool FitBar::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip || !view_.fits) return QWidget::event(event);
  auto* help = static_cast<QHelpEvent*>(event);
  double before = 0;
  for (const Piece& piece : pieces()) {
    before += piece.bytes;
    if (help->pos().x() > xOf(before)) continue;
    QToolTip::showText(help->globalPos(), tr("%1: %2").arg(piece.name, plots::bytesText(piece.bytes)), this);
    return true;
  }
  QToolTip::showText(help->globalPos(), toolTip(), this);
  return true;
}

void FitBar::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.fillRect(0, kBarTop, width(), kBarHeight, palette().color(QPalette::Midlight));
  double before = 0;
  if (view_.fits) {
    for (const Piece& piece : pieces()) {
      const int left = xOf(before), right = xOf(before + piece.bytes);
      painter.fillRect(left, kBarTop, right - left, kBarHeight, piece.color);
      before += piece.bytes;
    }
  } else if (view_.leastBudgetBytes > 0) {
    const QRect needed(0, kBarTop, xOf(view_.leastBudgetBytes), kBarHeight);
    painter.fillRect(needed, palette().color(QPalette::Mid));
    painter.fillRect(needed, QBrush(palette().color(QPalette::BrightText), Qt::BDiagPattern));
  }
  if (view_.budgetBytes <= 0) return;
  QPen pen(palette().color(QPalette::WindowText), 2, Qt::DashLine);
  painter.setPen(pen);
  const int x = std::min(xOf(view_.budgetBytes), width() - 2);
  painter.drawLine(x, 0, x, height());
}

}  // namespace tidemark::ui
