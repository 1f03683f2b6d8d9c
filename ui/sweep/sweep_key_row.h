// One line of the form: a key, how its values are meant, and the values. Shows what it is given; checks nothing.
#pragma once

#include <QWidget>

#include "ui/sweep/sweep_form.h"

class QComboBox;
class QLabel;
class QLineEdit;

namespace tidemark::ui {

class SweepKeyRow : public QWidget {
  Q_OBJECT
 public:
  explicit SweepKeyRow(QWidget* parent = nullptr);

  void setRow(const SweepRow& row);  // does not emit edited()
  SweepRow row() const;
  void setProblem(const QString& problem);

 signals:
  void edited();
  void removeWanted();

 private:
  void showKind();

  QComboBox* key_;
  QComboBox* kind_;
  QLineEdit* values_;
  QLabel* problem_;
};

}  // namespace tidemark::ui
