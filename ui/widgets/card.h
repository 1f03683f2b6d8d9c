// A framed area with a title, a muted caption at its right, and a body. Not responsible for what is in the body.
#pragma once

#include <QFrame>

class QHBoxLayout;
class QLabel;
class QVBoxLayout;

namespace tidemark::ui {

class Card : public QFrame {
  Q_OBJECT
 public:
  explicit Card(const QString& title, QWidget* parent = nullptr);

  QVBoxLayout* body() const { return body_; }
  QHBoxLayout* header() const { return header_; }  // title, stretch, caption; widgets may be inserted before the stretch
  void setCaption(const QString& caption);
  void setTitle(const QString& title);

 private:
  QLabel* title_;
  QLabel* caption_;
  QHBoxLayout* header_;
  QVBoxLayout* body_;
};

// A label for text from anywhere: plain text, in the role ("muted", "strong", "heading", "error", "code") that the style knows.
QLabel* makeLabel(const QString& text, const char* role, QWidget* parent = nullptr);

}  // namespace tidemark::ui
