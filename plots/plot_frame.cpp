#include "plots/plot_frame.h"

#include <qcustomplot.h>

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QFocusEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QPicture>
#include <QVBoxLayout>
#include <algorithm>

#include "plots/hover_card.h"

namespace tidemark::plots {

PlotFrame::PlotFrame(QWidget* parent) : QWidget(parent), plot_(new QCustomPlot(this)), card_(new HoverCard(this)) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(2, 2, 2, 2);  // room for the focus frame
  layout->addWidget(plot_);
  setFocusPolicy(Qt::StrongFocus);
  plot_->setFocusPolicy(Qt::NoFocus);
  plot_->setFocusProxy(this);
  plot_->installEventFilter(this);
  plot_->setMouseTracking(true);
  plot_->axisRect()->setMinimumMargins(QMargins(0, 6, 2, 0));
  plot_->setMinimumSize(120, 80);
  card_->raise();
  makeActions();
}

void PlotFrame::makeActions() {
  auto* save = new QAction(tr("Save the plot…"), this);
  save->setObjectName(QStringLiteral("savePlot"));
  save->setShortcut(QKeySequence::Save);
  auto* copy = new QAction(tr("Copy the plot"), this);
  copy->setObjectName(QStringLiteral("copyPlot"));
  copy->setShortcut(QKeySequence::Copy);
  for (QAction* action : {save, copy}) {
    action->setShortcutContext(Qt::WidgetShortcut);
    addAction(action);
  }
  setContextMenuPolicy(Qt::ActionsContextMenu);
  connect(save, &QAction::triggered, this, &PlotFrame::askWhereToSave);
  connect(copy, &QAction::triggered, this, &PlotFrame::copyPicture);
}

void PlotFrame::askWhereToSave() {
  askForPlotFile(this, fileNameFor(pictureTitle()), [this](const QString& path) {
    const QString failure = writePlot(*this, path);
    if (failure.isEmpty()) tell(tr("saved as"), path);
    else tell(tr("not saved"), failure);
  });
}

void PlotFrame::copyPicture() {
  QApplication::clipboard()->setImage(imageOf(*this));
  tell(tr("copied as a picture"), {});
}

void PlotFrame::tell(const QString& what, const QString& detail) {
  const QString shown = fontMetrics().elidedText(detail, Qt::ElideMiddle, std::max(120, width() / 2));
  card_->showRows(HoverCard::Rows{{what, shown}}, QPoint(width() / 8, 8));
  setAccessibleDescription(what + QLatin1Char(' ') + detail);
}

void PlotFrame::setTheme(const PlotTheme& theme) {
  theme_ = theme;
  restyle();
  replotSoon();
}

void PlotFrame::restyle() {
  plot_->setBackground(QBrush(theme_.background));
  card_->setTheme(theme_);
  applyTheme(theme_);
}

void PlotFrame::styleAxis(QCPAxis* axis, const QColor& labels) const {
  QFont small = font();
  small.setPixelSize(12);
  axis->setTickLabelFont(small);
  axis->setLabelFont(small);
  axis->setTickLabelColor(labels);
  axis->setLabelColor(labels);
  axis->setBasePen(QPen(theme_.grid));
  axis->setTickPen(Qt::NoPen);
  axis->setSubTickPen(Qt::NoPen);
  axis->setTickLabelPadding(6);
  axis->grid()->setPen(QPen(theme_.grid, 1));
  axis->grid()->setZeroLinePen(Qt::NoPen);
}

void PlotFrame::replotSoon() { plot_->replot(QCustomPlot::rpQueuedReplot); }

void PlotFrame::pointerLeft() { card_->hide(); }

bool PlotFrame::eventFilter(QObject* watched, QEvent* event) {
  if (watched == plot_) {
    if (event->type() == QEvent::MouseMove) pointerMoved(static_cast<QMouseEvent*>(event)->pos());
    if (event->type() == QEvent::Leave) pointerLeft();
    if (event->type() == QEvent::MouseButtonPress) setFocus(Qt::MouseFocusReason);
  }
  return QWidget::eventFilter(watched, event);
}

void PlotFrame::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::FontChange) setTheme(theme_);
}

void PlotFrame::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  layOut();
  replotSoon();
}

void PlotFrame::focusInEvent(QFocusEvent* event) {
  QWidget::focusInEvent(event);
  showsFocus_ = event->reason() == Qt::TabFocusReason || event->reason() == Qt::BacktabFocusReason;
  update();
}

void PlotFrame::paintEvent(QPaintEvent* event) {
  QWidget::paintEvent(event);
  if (hasFocus() && showsFocus_) {
    QPainter painter(this);
    painter.setPen(QPen(theme_.accent, 2));
    painter.drawRect(rect().adjusted(0, 0, -1, -1));
  }
}

void PlotFrame::drawVector(QPainter& painter, const QSize& size) {
  const PlotTheme shown = theme_;
  const QSize shownSize = plot_->size();
  theme_ = PlotTheme::light();
  plot_->resize(size);
  restyle();
  layOut();
  QPicture picture;
  QCPPainter recorder(&picture);
  recorder.setMode(QCPPainter::pmVectorized);
  recorder.setMode(QCPPainter::pmNoCaching);
  plot_->toPainter(&recorder, size.width(), size.height());
  recorder.end();
  painter.save();  // a picture is drawn larger on devices of more dots per inch; here the painter's coordinates are meant
  painter.scale(picture.logicalDpiX() * 1.0 / painter.device()->logicalDpiX(), picture.logicalDpiY() * 1.0 / painter.device()->logicalDpiY());
  painter.drawPicture(0, 0, picture);
  painter.restore();
  theme_ = shown;
  plot_->resize(shownSize);
  restyle();
  layOut();
  replotSoon();
}

}  // namespace tidemark::plots
