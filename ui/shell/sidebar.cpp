#include "ui/shell/sidebar.h"

#include <QFocusEvent>
#include <QLabel>
#include <QPainter>
#include <QVBoxLayout>
#include <algorithm>

#include "plots/quantity.h"
#include "ui/models/run_status.h"
#include "ui/widgets/card.h"

namespace tidemark::ui {
namespace {

constexpr int kWidth = 211;
constexpr std::size_t kMostRunning = 6;
constexpr std::size_t kMostRecent = 8;

QString noteOf(const storage::RunRecord& run) {
  if (isActive(run.status)) {
    const QString steps = Sidebar::tr("%1 of %2").arg(plots::countText(static_cast<double>(run.step)),
                                                      plots::countText(static_cast<double>(run.maxSteps)));
    if (!run.secondsPerStep) return steps;
    return steps + QStringLiteral(" · ") +
           plots::durationText(static_cast<double>(std::max<int64_t>(0, run.maxSteps - run.step)) * *run.secondsPerStep);
  }
  QStringList parts;
  if (run.status != storage::RunStatus::Completed) parts << statusWord(run.status);
  if (run.loss) parts << Sidebar::tr("loss %1").arg(plots::decimalText(*run.loss, 4));
  if (run.tokensPerSecond) parts << Sidebar::tr("%1 tok/s").arg(plots::decimalText(*run.tokensPerSecond, 3));
  return parts.isEmpty() ? statusWord(run.status) : parts.join(QStringLiteral(" · "));
}

}  // namespace

SidebarItem::SidebarItem(const QString& name, QWidget* parent) : QAbstractButton(parent) {
  setName(name);
  setCheckable(true);
  setFocusPolicy(Qt::StrongFocus);
  setCursor(Qt::PointingHandCursor);
}

void SidebarItem::setName(const QString& name) {
  name_ = name;  // not setText(): an ampersand in a run's name must not become a shortcut
  setAccessibleName(name);
  update();
}

void SidebarItem::setNote(const QString& note, const QColor& dot) {
  note_ = note;
  dot_ = dot;
  setAccessibleDescription(note);
  update();
}

QSize SidebarItem::sizeHint() const { return {kWidth - 20, note_.isEmpty() ? 30 : 46}; }

void SidebarItem::enterEvent(QEnterEvent* event) {
  QAbstractButton::enterEvent(event);
  update();
}

void SidebarItem::leaveEvent(QEvent* event) {
  QAbstractButton::leaveEvent(event);
  update();
}

void SidebarItem::focusInEvent(QFocusEvent* event) {
  QAbstractButton::focusInEvent(event);
  showsFocus_ = event->reason() == Qt::TabFocusReason || event->reason() == Qt::BacktabFocusReason;
  update();
}

void SidebarItem::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  const QRectF frame = QRectF(rect()).adjusted(0.75, 0.75, -0.75, -0.75);
  if (isChecked() || underMouse()) {
    QColor back = palette().color(isChecked() ? QPalette::Highlight : QPalette::Midlight);
    if (!isChecked()) back.setAlpha(120);
    painter.setBrush(back);
    painter.setPen(Qt::NoPen);
    painter.drawRoundedRect(frame, 6, 6);
  }
  if (hasFocus() && showsFocus_) {
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(palette().color(QPalette::Link), 1.5));
    painter.drawRoundedRect(frame, 6, 6);
  }
  int left = 10;
  if (dot_.isValid()) {
    painter.setBrush(dot_);
    painter.setPen(Qt::NoPen);
    painter.drawEllipse(QPointF(left + 5, 16), 4, 4);
    left += 18;
  }
  const int room = width() - left - 8;
  QFont font = this->font();
  font.setWeight(isChecked() && !note_.isEmpty() ? QFont::DemiBold : QFont::Normal);
  painter.setFont(font);
  painter.setPen(palette().color(QPalette::WindowText));
  const QRect first(left, note_.isEmpty() ? 0 : 4, room, note_.isEmpty() ? height() : 22);
  painter.drawText(first, Qt::AlignVCenter | Qt::TextSingleLine, QFontMetrics(font).elidedText(name_, Qt::ElideRight, room));
  if (note_.isEmpty()) return;
  font.setPixelSize(12);
  font.setWeight(QFont::Normal);
  painter.setFont(font);
  painter.setPen(palette().color(QPalette::PlaceholderText));
  painter.drawText(QRect(left, 25, room, 17), Qt::AlignVCenter | Qt::TextSingleLine,
                   QFontMetrics(font).elidedText(note_, Qt::ElideRight, room));
}

Sidebar::Sidebar(QWidget* parent) : QWidget(parent) {
  setObjectName(QStringLiteral("sidebar"));
  setAttribute(Qt::WA_StyledBackground);
  setFixedWidth(kWidth);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(10, 18, 10, 12);
  layout->setSpacing(2);
  QLabel* brand = makeLabel(QStringLiteral("Tidemark"), "brand");
  brand->setContentsMargins(10, 0, 0, 14);
  layout->addWidget(brand);
  runsItem_ = new SidebarItem(tr("Runs"));
  newRunItem_ = new SidebarItem(tr("New run"));
  sweepsItem_ = new SidebarItem(tr("Sweeps"));
  dataItem_ = new SidebarItem(tr("Data"));
  compareItem_ = new SidebarItem(tr("Compare"));
  runsItem_->setToolTip(tr("All runs in the database"));
  newRunItem_->setToolTip(tr("Configure a run and start it (Ctrl+N)"));
  sweepsItem_->setToolTip(tr("Many runs of one configuration: values are tried for some settings, and the best is named"));
  dataItem_->setToolTip(tr("The rows of a dataset as a model sees them: tokens, loss, lengths, problems"));
  compareItem_->setToolTip(tr("Runs side by side: settings, results, curves and memory"));
  for (SidebarItem* item : {runsItem_, newRunItem_, sweepsItem_, dataItem_, compareItem_}) layout->addWidget(item);
  connect(runsItem_, &SidebarItem::clicked, this, [this] { emit pageChosen(Page::Runs); });
  connect(newRunItem_, &SidebarItem::clicked, this, [this] { emit pageChosen(Page::NewRun); });
  connect(sweepsItem_, &SidebarItem::clicked, this, [this] { emit pageChosen(Page::Sweeps); });
  connect(dataItem_, &SidebarItem::clicked, this, [this] { emit pageChosen(Page::Data); });
  connect(compareItem_, &SidebarItem::clicked, this, [this] { emit pageChosen(Page::Compare); });
  running_ = makeSection(tr("RUNNING"), layout);
  recent_ = makeSection(tr("RECENT"), layout);
  layout->addStretch(1);
  foot_ = new QVBoxLayout;
  layout->addLayout(foot_);
  showSelection();
}

Sidebar::Section Sidebar::makeSection(const QString& title, QVBoxLayout* layout) {
  Section section{makeLabel(title, "section"), new QVBoxLayout, {}};
  section.title->setContentsMargins(10, 18, 0, 4);
  section.title->hide();
  section.layout->setSpacing(2);
  layout->addWidget(section.title);
  layout->addLayout(section.layout);
  return section;
}

void Sidebar::fill(Section& section, const std::vector<const storage::RunRecord*>& runs) {
  section.title->setVisible(!runs.empty());
  while (section.items.size() > runs.size()) {
    section.items.back()->deleteLater();
    section.items.back()->hide();
    section.items.pop_back();
  }
  while (section.items.size() < runs.size()) {
    auto* item = new SidebarItem({});
    connect(item, &SidebarItem::clicked, this, [this, item] { emit runChosen(item->property("run").toString()); });
    section.layout->addWidget(item);
    section.items.push_back(item);
  }
  for (std::size_t i = 0; i < runs.size(); ++i) {
    SidebarItem* item = section.items[i];
    const QString name = QString::fromStdString(runs[i]->name).simplified();
    item->setProperty("run", QString::fromStdString(runs[i]->id));
    item->setName(name);
    item->setNote(noteOf(*runs[i]), isActive(runs[i]->status) ? statusColor(runs[i]->status) : QColor());
    item->setToolTip(statusWord(runs[i]->status));
  }
}

void Sidebar::setRuns(const std::vector<storage::RunRecord>& runs) {
  std::vector<const storage::RunRecord*> running, recent;
  for (const storage::RunRecord& run : runs) {
    if (isActive(run.status)) {
      if (running.size() < kMostRunning) running.push_back(&run);
    } else if (recent.size() < kMostRecent) {
      recent.push_back(&run);
    }
  }
  fill(running_, running);
  fill(recent_, recent);
  showSelection();
}

void Sidebar::select(Page page) {
  selectedRun_.clear();
  selectedPage_ = page;
  showSelection();
}

void Sidebar::selectRun(const QString& runId) {
  selectedRun_ = runId;
  showSelection();
}

void Sidebar::showSelection() {
  runsItem_->setChecked(selectedRun_.isEmpty() && selectedPage_ == Page::Runs);
  newRunItem_->setChecked(selectedRun_.isEmpty() && selectedPage_ == Page::NewRun);
  sweepsItem_->setChecked(selectedRun_.isEmpty() && selectedPage_ == Page::Sweeps);
  dataItem_->setChecked(selectedRun_.isEmpty() && selectedPage_ == Page::Data);
  compareItem_->setChecked(selectedRun_.isEmpty() && selectedPage_ == Page::Compare);
  for (const Section* section : {&running_, &recent_}) {
    for (SidebarItem* item : section->items) {
      item->setChecked(!selectedRun_.isEmpty() && item->property("run").toString() == selectedRun_);
    }
  }
}

}  // namespace tidemark::ui
