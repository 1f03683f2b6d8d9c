// A line for a file or folder: typed, picked in a dialog, or dropped on it.
#pragma once

#include <QWidget>

class QLineEdit;
class QToolButton;

namespace tidemark::ui {

class PathEdit : public QWidget {
  Q_OBJECT
 public:
  enum class Accepts { File, Folder, FileOrFolder };
  PathEdit(Accepts accepts, const QString& filter, QWidget* parent = nullptr);

  QString text() const;
  void setText(const QString& text);
  QLineEdit* line() const { return line_; }

 signals:
  void textChanged(const QString& text);

 protected:
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dropEvent(QDropEvent* event) override;

 private:
  void pick(Accepts accepts);

  QString filter_;
  QLineEdit* line_;
  QToolButton* browse_;
};

}  // namespace tidemark::ui
