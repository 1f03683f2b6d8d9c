#include "ui/data/data_reader.h"

namespace tidemark::ui {

DataReader::DataReader(QObject* parent) : QObject(parent), scanner_(new QObject), looker_(new QObject) {
  scanThread_.setObjectName(QStringLiteral("dataset"));
  lookThread_.setObjectName(QStringLiteral("dataset rows"));
  scanner_->moveToThread(&scanThread_);
  looker_->moveToThread(&lookThread_);
  connect(&scanThread_, &QThread::finished, scanner_, &QObject::deleteLater);
  connect(&lookThread_, &QThread::finished, looker_, &QObject::deleteLater);
  scanThread_.start(QThread::LowPriority);
  lookThread_.start();
}

DataReader::~DataReader() {
  for (auto* newest : {&newestRead_, &newestLook_, &newestFind_}) *newest = ~quint64{0};  // nothing more is begun
  for (QThread* thread : {&scanThread_, &lookThread_}) thread->quit();
  for (QThread* thread : {&scanThread_, &lookThread_}) thread->wait();
}

void DataReader::read(quint64 generation, const std::string& model, const text::DatasetSettings& settings) {
  newestRead_ = generation;
  QMetaObject::invokeMethod(scanner_, [this, generation, model, settings] { scan(generation, model, settings); });
}

void DataReader::stop() { stoppedRead_ = newestRead_.load(); }

void DataReader::scan(quint64 generation, const std::string& model, const text::DatasetSettings& settings) {
  if (newestRead_ != generation) return;
  Status status;
  auto opened = openData(model, settings);
  if (opened.ok()) {
    const auto data = std::make_shared<const OpenedData>(std::move(opened).value());
    status = scanDataset(*data, [&](ScanBatch batch) {
      if (newestRead_ != generation) return false;
      emit stepped({generation, data, std::make_shared<ScanBatch>(std::move(batch))});
      return stoppedRead_ != generation;
    });
  } else {
    status = opened.error();
  }
  if (newestRead_ != generation) return;
  ReadEnd end{generation, ReadEnd::Outcome::Complete, {}};
  if (!status.ok()) {
    const bool isStopped = status.error().code == ErrorCode::Cancelled;
    end.outcome = isStopped ? ReadEnd::Outcome::Stopped : ReadEnd::Outcome::Failed;
    end.message = QString::fromStdString(status.error().message());
  }
  emit ended(end);
}

void DataReader::look(const LookWish& wish) {
  newestLook_ = wish.request;
  QMetaObject::invokeMethod(looker_, [this, wish] {
    if (newestLook_ == wish.request) emit looked(rows_.look(wish));
  });
}

void DataReader::find(quint64 request, std::shared_ptr<const OpenedData> data, const QString& text) {
  newestFind_ = request;
  QMetaObject::invokeMethod(looker_, [this, request, data = std::move(data), text] {
    auto lines = findRows(*data, text, [this, request] { return newestFind_ == request; });
    if (newestFind_ != request) return;
    FoundRows rows{request, text, {}, {}};
    if (lines.ok()) rows.lines = std::move(lines).value();
    else rows.problem = QString::fromStdString(lines.error().message());
    emit found(rows);
  });
}

}  // namespace tidemark::ui
