// Files of the New run form: configurations that are opened, saved or dropped, and models and data that are dropped.
#pragma once

#include <QList>
#include <QObject>
#include <QUrl>

#include "core/run/config.h"

namespace tidemark::ui {

class Banner;
class RunForm;

class FormFiles : public QObject {
  Q_OBJECT
 public:
  // What went wrong, or was saved, is told in `banner`; dialogs belong to `page`.
  FormFiles(const RunForm& form, Banner& banner, QWidget* page);

  void chooseToOpen();
  void chooseToSave();
  void load(const QString& path);
  bool save(const QString& path);
  // A model is a folder or ends in .gguf, a configuration in .yaml; all else is data.
  void take(const QList<QUrl>& urls);

 signals:
  void loaded(const tidemark::run::RunConfig& config);
  void named(const QString& key, const QString& path);  // a file for this key

 private:
  const RunForm& form_;
  Banner& banner_;
  QWidget* window_;
};

}  // namespace tidemark::ui
