// Reads datasets for the Data page off the GUI thread: the whole file in one thread; single rows and searches in another, so
// that a row can be looked at while the file is being read.
#pragma once

#include <QObject>
#include <QThread>
#include <atomic>
#include <memory>

#include "ui/data/find_rows.h"
#include "ui/data/scan_dataset.h"
#include "ui/data/shown_row.h"

namespace tidemark::ui {

struct ReadStep {
  quint64 generation = 0;
  std::shared_ptr<const OpenedData> data;  // the same in all steps of one reading
  std::shared_ptr<ScanBatch> batch;        // the receiver's to take from
};

struct ReadEnd {
  enum class Outcome { Complete, Stopped, Failed };
  quint64 generation = 0;
  Outcome outcome = Outcome::Complete;
  QString message;  // Failed: why
};

class DataReader : public QObject {
  Q_OBJECT
 public:
  explicit DataReader(QObject* parent = nullptr);
  ~DataReader() override;

  // A reading that is under way ends without another word. `generation` grows.
  void read(quint64 generation, const std::string& model, const text::DatasetSettings& settings);
  void stop();  // the reading ends as Stopped
  // Requests that were overtaken by a newer one of their kind are not answered.
  void look(const LookWish& wish);
  void find(quint64 request, std::shared_ptr<const OpenedData> data, const QString& text);

 signals:
  void stepped(const tidemark::ui::ReadStep& step);
  void ended(const tidemark::ui::ReadEnd& end);
  void looked(const tidemark::ui::ShownRow& row);
  void found(const tidemark::ui::FoundRows& rows);

 private:
  void scan(quint64 generation, const std::string& model, const text::DatasetSettings& settings);

  QThread scanThread_, lookThread_;
  QObject* scanner_;  // lives in scanThread_; only a place for calls
  QObject* looker_;   // lives in lookThread_; the same
  RowLooker rows_;    // used in lookThread_ alone
  std::atomic<quint64> newestRead_{0}, stoppedRead_{0}, newestLook_{0}, newestFind_{0};
};

}  // namespace tidemark::ui
