// The form for a new sweep: what the runs share, what is tried, how they are judged, and what that comes to.
#pragma once

#include "ui/sweep/sweep_form.h"
#include "ui/widgets/card.h"

class QComboBox;
class QGridLayout;
class QLabel;
class QLineEdit;
class QPushButton;
class QSpinBox;

namespace tidemark::ui {

class SweepKeyRow;

class SweepFormCard : public Card {
  Q_OBJECT
 public:
  explicit SweepFormCard(QWidget* parent = nullptr);

  SweepForm& form() { return form_; }
  void setStarting(bool isStarting);

 signals:
  void startWanted(const tidemark::sweep::Sweep& sweep);
  void baseWanted();  // change what the runs share

 private:
  QWidget* makeBase();
  QWidget* makeKeys();
  QWidget* makeOptions();
  QWidget* makeFoot();
  void connectOptions();
  void fillRows();
  void showForm();

  SweepForm form_;
  bool isStarting_ = false;
  QLabel* base_;
  QLineEdit* name_;
  QVBoxLayout* rowsLayout_;
  std::vector<SweepKeyRow*> rows_;
  QComboBox* mode_;
  QComboBox* objective_;
  QComboBox* rule_;
  QSpinBox* count_;
  QSpinBox* seeds_;
  QSpinBox* atOnce_;
  QSpinBox* after_;
  QLabel* summary_;
  QPushButton* start_;
};

}  // namespace tidemark::ui
