// The fields of every configuration key, in groups, with those that most runs leave alone behind a button. Shows a form's texts,
// problems and remarks; what is typed goes out by signal.
#pragma once

#include <QScrollArea>
#include <map>

#include "core/run/config.h"
#include "ui/models/run_form.h"

class QVBoxLayout;

namespace tidemark::ui {

class FieldEditor;

class FormColumn : public QScrollArea {
  Q_OBJECT
 public:
  explicit FormColumn(const RunForm& form, QWidget* parent = nullptr);

  FieldEditor* field(const QString& key) const;
  void showText(const QString& key);  // as the form has it
  void showRemarks();                 // problems and remarks of all fields

 signals:
  void edited(const QString& key, const QString& text);
  void dataWanted();

 private:
  void addGroup(QVBoxLayout* column, const QString& title, const QStringList& prefixes);
  QWidget* makeDataButton();
  FieldEditor* makeField(const run::KeyInfo& info);

  const RunForm& form_;
  std::map<QString, FieldEditor*> fields_;
};

}  // namespace tidemark::ui
