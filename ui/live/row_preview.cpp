#include "ui/live/row_preview.h"

#include "core/text/dataset_settings.h"

namespace tidemark::ui {
namespace {

bool isSame(const OpenedData& data, const text::DatasetSettings& wanted) {
  const auto stamp = stampOf(wanted.train);
  return stamp.ok() && data.stamp == *stamp && data.settings.train == wanted.train && data.settings.format == wanted.format &&
         data.settings.trainOn == wanted.trainOn;
}

// The line of row `index`, and the form of the file as known there.
std::optional<text::SourceLine> lineOf(text::SourceReader& reader, int64_t index) {
  for (int64_t row = 0;; ++row) {
    std::optional<text::SourceLine> line = reader.next();
    if (!line || row == index) return line;
  }
}

}  // namespace

RowPreview::RowPreview(QObject* parent) : QObject(parent), place_(new QObject) {
  place_->moveToThread(&thread_);
  connect(&thread_, &QThread::finished, place_, &QObject::deleteLater);
  thread_.setObjectName(QStringLiteral("row preview"));
  thread_.start(QThread::LowPriority);
}

RowPreview::~RowPreview() {
  newest_ = ~quint64{0};
  thread_.quit();
  thread_.wait();
}

void RowPreview::ask(quint64 generation, const run::RunConfig& config, int64_t index) {
  newest_ = generation;
  QMetaObject::invokeMethod(place_, [this, generation, config, index] {
    if (newest_ != generation) return;
    PreviewedRow answer{generation, index, {}, false};
    const text::DatasetSettings settings = text::datasetSettings(config);
    if (!data_ || model_ != config.model || !isSame(*data_, settings)) {
      auto opened = openData(config.model, settings);
      data_ = opened.ok() ? std::make_shared<const OpenedData>(std::move(opened).value()) : nullptr;
      model_ = config.model;
    }
    auto reader = text::SourceReader::open(settings.train, settings.format);
    if (data_ && reader.ok()) {
      if (const auto line = lineOf(*reader, index)) {
        const QString problem = line->row ? QString() : QString::fromStdString(line->problem.what);
        answer.row = looker_.look({generation, data_, reader->format(), line->place, problem});
        answer.isThere = true;
      }
    }
    if (newest_ == generation) emit previewed(answer);
  });
}

}  // namespace tidemark::ui
