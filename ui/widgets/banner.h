// A line over a page that tells what went wrong, and can be put away. Shows plain text; not responsible for what caused it.
#pragma once

#include <QFrame>

class QLabel;

namespace tidemark::ui {

class Banner : public QFrame {
  Q_OBJECT
 public:
  enum class Severity { Note, Warning, Error };
  explicit Banner(QWidget* parent = nullptr);

  void showMessage(Severity severity, const QString& text);
  void clear();
  QString text() const;

 private:
  QLabel* symbol_;
  QLabel* text_;
};

}  // namespace tidemark::ui
