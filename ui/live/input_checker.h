// Looks into the model and data files that the form names, in a thread of its own: what they hold and what is wrong with them.
#pragma once

#include <QObject>
#include <QString>
#include <QThread>
#include <atomic>
#include <memory>

#include "core/fit/row_lengths.h"
#include "core/run/config.h"

namespace tidemark::ui {

struct InputReport {
  quint64 generation = 0;
  QString key;       // "model" or "dataset.train"
  bool isGood = false;
  QString summary;   // what it holds, in one line; or what is wrong
  QStringList problems;  // rows of the data that are left out, cut or malformed
  // Of good data, as far as it was checked.
  std::shared_ptr<const fit::RowLengths> rows = {};
  int64_t rowCount = 0;  // in the file, those that are not used included
};

class InputChecker : public QObject {
  Q_OBJECT
 public:
  explicit InputChecker(QObject* parent = nullptr);
  ~InputChecker() override;

  // Checks both; the answers carry the generation. Requests that were overtaken by a newer one are not begun.
  void check(quint64 generation, const run::RunConfig& config);

 signals:
  void checked(const tidemark::ui::InputReport& report);

 private:
  QThread thread_;
  QObject* worker_;  // lives in thread_; only a place for calls
  std::atomic<quint64> newest_{0};
};

// The work itself; blocks.
InputReport checkModel(const std::string& model);
InputReport checkData(const run::RunConfig& config);

}  // namespace tidemark::ui
