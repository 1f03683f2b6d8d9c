// The same run as a command line and as YAML, for copying.
#pragma once

#include "ui/widgets/card.h"

class QLineEdit;
class QPlainTextEdit;

namespace tidemark::ui {

class ConfigurationCard : public Card {
  Q_OBJECT
 public:
  explicit ConfigurationCard(QWidget* parent = nullptr);

  void show(const QString& command, const QString& yaml);

 private:
  QLineEdit* command_;
  QPlainTextEdit* yaml_;
};

}  // namespace tidemark::ui
