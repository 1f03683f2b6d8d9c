// Makes one row of the form's dataset into tokens, in a thread of its own. Answers that were overtaken are not given.
#pragma once

#include <QObject>
#include <QThread>
#include <atomic>
#include <memory>

#include "core/run/config.h"
#include "ui/data/shown_row.h"

namespace tidemark::ui {

struct PreviewedRow {
  quint64 generation = 0;
  int64_t index = 0;     // of the rows in the file, from 0
  ShownRow row;          // or its problem
  bool isThere = false;  // false: the file has no such row
};

class RowPreview : public QObject {
  Q_OBJECT
 public:
  explicit RowPreview(QObject* parent = nullptr);
  ~RowPreview() override;

  void ask(quint64 generation, const run::RunConfig& config, int64_t index);

 signals:
  void previewed(const tidemark::ui::PreviewedRow& row);

 private:
  QThread thread_;
  QObject* place_;    // lives in thread_; only a place for calls
  RowLooker looker_;  // used in thread_ alone
  std::shared_ptr<const OpenedData> data_;
  std::string model_;
  std::atomic<quint64> newest_{0};
};

}  // namespace tidemark::ui
