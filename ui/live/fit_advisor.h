// Answers what fits, by formulas, in a thread of its own: reads the model's header once, takes the data's lengths as they were
// found, and the machine's speed from earlier runs in the database. Answers that were overtaken are not given.
#pragma once

#include <QObject>
#include <QThread>
#include <atomic>
#include <filesystem>
#include <memory>

#include "core/fit/row_lengths.h"
#include "core/run/config.h"
#include "ui/models/fit_view.h"

namespace tidemark::ui {

struct FitWish {
  quint64 generation = 0;
  run::RunConfig config;
  std::shared_ptr<const fit::RowLengths> rows;  // of config.dataset
};

class FitAdvisor : public QObject {
  Q_OBJECT
 public:
  // `database`: where earlier runs are looked for; empty: nowhere.
  explicit FitAdvisor(std::filesystem::path database = {}, QObject* parent = nullptr);
  ~FitAdvisor() override;

  void ask(const FitWish& wish);
  void setDatabase(const std::filesystem::path& database);
  // What `tidemark-cli plan --json` measured under this configuration: later answers reckon with it where it tells of them.
  void learn(const run::RunConfig& config, const QByteArray& lines);

 signals:
  void answered(quint64 generation, const tidemark::ui::FitView& view);

 private:
  class Worker;  // what the thread keeps between questions
  QThread thread_;
  QObject* place_;  // lives in thread_; only a place for calls
  std::unique_ptr<Worker> worker_;
  std::atomic<quint64> newest_{0};
};

}  // namespace tidemark::ui
