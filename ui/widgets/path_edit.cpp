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

QString firstLocalPath(const QMimeData* data) {
  for (const QUrl& url : data->urls()) {
    if (url.isLocalFile()) return url.toLocalFile();
  }
  return {};
}

}  // namespace

PathEdit::PathEdit(Accepts accepts, const QString& filter, QWidget* parent)
    : QWidget(parent), filter_(filter), line_(new QLineEdit), browse_(new QToolButton) {
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
  if (accepts == Accepts::FileOrFolder) {
    auto* menu = new QMenu(browse_);
    connect(menu->addAction(tr("File…")), &QAction::triggered, this, [this] { pick(Accepts::File); });
    connect(menu->addAction(tr("Folder…")), &QAction::triggered, this, [this] { pick(Accepts::Folder); });
    browse_->setMenu(menu);
    browse_->setPopupMode(QToolButton::InstantPopup);
  } else {
    connect(browse_, &QToolButton::clicked, this, [this, accepts] { pick(accepts); });
  }
  connect(line_, &QLineEdit::textChanged, this, &PathEdit::textChanged);
}

QString PathEdit::text() const { return line_->text(); }
void PathEdit::setText(const QString& text) { line_->setText(text); }

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
