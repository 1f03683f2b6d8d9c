#include "ui/compare/compare_reader.h"

#include "ui/compare/compare_loader.h"

namespace tidemark::ui {

CompareReader::CompareReader(const std::filesystem::path& database, QObject* parent)
    : QObject(parent), worker_(new QObject), loader_(std::make_unique<CompareLoader>(database)) {
  worker_->moveToThread(&thread_);
  connect(&thread_, &QThread::finished, worker_, &QObject::deleteLater);
  thread_.setObjectName(QStringLiteral("comparison"));
  thread_.start();
}

CompareReader::~CompareReader() {
  newest_ = ~quint64{0};  // what has not begun is not begun any more
  thread_.quit();
  thread_.wait();
}

void CompareReader::wishFor(quint64 generation, const std::vector<std::string>& runIds) {
  newest_ = generation;
  QMetaObject::invokeMethod(worker_, [this, generation, runIds] {
    if (newest_ != generation) return;
    auto runs = loader_->load(runIds);
    if (!runs.ok()) emit failed(QString::fromStdString(runs.error().message()));
    else emit runsRead({generation, std::move(runs).value()});
  });
}

}  // namespace tidemark::ui
