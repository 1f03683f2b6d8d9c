// Which dataset is looked at, by which model's tokenizer, with which limit: the keys of the configuration that decide it.
#pragma once

#include <map>

#include "core/run/config.h"
#include "ui/data/data_problem.h"
#include "ui/widgets/card.h"

namespace tidemark::ui {

class FieldEditor;

class DataFields : public Card {
  Q_OBJECT
 public:
  explicit DataFields(QWidget* parent = nullptr);

  // Takes these keys from a configuration, without a signal.
  void load(const run::RunConfig& config);
  void takePath(const QString& path);  // a folder or .gguf is a model, all else is data
  const run::RunConfig& config() const { return config_; }
  RowLimit limit() const;
  bool namesFiles() const { return !config_.model.empty() && !config_.dataset.train.empty(); }
  FieldEditor* field(const QString& key) const;

 signals:
  void sourceChanged();  // the rows have to be read again
  void limitChanged();   // they have not

 private:
  void takeKey(const QString& key, const QString& text);

  run::RunConfig config_;
  std::map<QString, FieldEditor*> fields_;
};

}  // namespace tidemark::ui
