#include "ui/widgets/path_edit.h"

#include <QDragEnterEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QMenu>
#include <QMimeData>
#include <QToolButton>

namespace tidemark::ui {
namespace {

constexpr int kMostMenuPx = 420;

QString firstLocalPath(const QMimeData* data) {
  for (const QUrl& url : data->urls()) {
    if (url.isLocalFile()) return url.toLocalFile();
  }
  return {};
}

}  // namespace

PathEdit::PathEdit(Accepts accepts, const QString& filter, QWidget* parent)
    : QWidget(parent), accepts_(accepts), filter_(filter), line_(new QLineEdit), browse_(new QToolButton) {
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(6);
  layout->addWidget(line_, 1);
  layout->addWidget(browse_);
  setFocusProxy(line_);
  setAcceptDrops(true);
  line_->setAcceptDrops(false);  // so that a dropped file reaches this widget, not the line as a file:// address
  browse_->setProperty("framed", true);
  browse_->setText(tr("Browse…"));
  browse_->setAccessibleName(tr("Choose a file"));
  browse_->setToolTip(tr("Choose a file or folder; one can be dropped here as well"));
  connect(browse_, &QToolButton::clicked, this, [this] {
    if (!menu_) pick(accepts_);
  });
  if (accepts == Accepts::FileOrFolder) setChoices({});
  connect(line_, &QLineEdit::textChanged, this, &PathEdit::textChanged);
}

QString PathEdit::text() const { return line_->text(); }
void PathEdit::setText(const QString& text) { line_->setText(text); }

void PathEdit::setChoices(std::function<std::vector<Section>()> choices) {
  choices_ = std::move(choices);
  if (menu_) return;
  menu_ = new QMenu(browse_);
  menu_->setToolTipsVisible(true);
  connect(menu_, &QMenu::aboutToShow, this, &PathEdit::fillMenu);
  browse_->setMenu(menu_);
  browse_->setPopupMode(QToolButton::InstantPopup);
}

void PathEdit::fillMenu() {
  menu_->clear();
  if (accepts_ != Accepts::Folder) connect(menu_->addAction(tr("File…")), &QAction::triggered, this, [this] { pick(Accepts::File); });
  if (accepts_ != Accepts::File) connect(menu_->addAction(tr("Folder…")), &QAction::triggered, this, [this] { pick(Accepts::Folder); });
  if (!choices_) return;
  for (const Section& section : choices_()) {
    if (section.paths.isEmpty()) continue;
    menu_->addSeparator();
    menu_->addAction(section.title)->setEnabled(false);
    for (const QString& path : section.paths) {
      QString shown = menu_->fontMetrics().elidedText(path.simplified(), Qt::ElideMiddle, kMostMenuPx);
      QAction* action = menu_->addAction(shown.replace(QLatin1Char('&'), QLatin1String("&&")));
      action->setToolTip(path.toHtmlEscaped());
      connect(action, &QAction::triggered, this, [this, path] { setText(path); });
    }
  }
}

void PathEdit::pick(Accepts accepts) {
  auto* dialog = new QFileDialog(this, tr("Choose"), QFileInfo(line_->text()).absolutePath(), filter_);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setFileMode(accepts == Accepts::Folder ? QFileDialog::Directory : QFileDialog::ExistingFile);
  connect(dialog, &QFileDialog::fileSelected, this, &PathEdit::setText);
  dialog->open();
}

void PathEdit::dragEnterEvent(QDragEnterEvent* event) {
  if (!firstLocalPath(event->mimeData()).isEmpty()) event->acceptProposedAction();
}

void PathEdit::dropEvent(QDropEvent* event) {
  const QString path = firstLocalPath(event->mimeData());
  if (path.isEmpty()) return;
  setText(path);
  event->acceptProposedAction();
}

}  // namespace tidemark::ui
