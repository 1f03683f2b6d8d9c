// One key of the configuration in the form: its label with the unit, an editor that suits its kind, and a message below.
// Not responsible for what is valid: it shows what it is told.
#pragma once

#include <QWidget>

#include "core/run/config.h"

class QHBoxLayout;
class QLabel;

namespace tidemark::ui {

class FieldEditor : public QWidget {
  Q_OBJECT
 public:
  explicit FieldEditor(const run::KeyInfo& key, QWidget* parent = nullptr);

  QString key() const { return key_; }
  QString text() const;
  void setText(const QString& text);  // does not emit edited()
  void setProblem(const QString& problem);
  void setRemark(const QString& remark);  // shown while there is no problem, such as what a file holds
  QString message() const;
  void setAction(QWidget* action);  // a button beside the label
  QWidget* editor() const { return editor_; }

 signals:
  void edited(const QString& text);

 private:
  void makeEditor(const run::KeyInfo& key);
  void showMessage();

  QString key_;
  run::KeyInfo::Kind kind_;
  QString problem_, remark_;
  QWidget* editor_ = nullptr;
  QHBoxLayout* top_;
  QLabel* label_;
  QLabel* message_;
};

// The key's label, unit and help in the user's language.
QString labelOf(const run::KeyInfo& key);

}  // namespace tidemark::ui
