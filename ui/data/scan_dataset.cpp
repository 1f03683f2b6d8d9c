#include "ui/data/scan_dataset.h"

#include <chrono>
#include <map>

#include "core/base/sha256.h"
#include "core/text/row_labeller.h"
#include "core/weights/hub_cache.h"
#include "ui/data/visible_text.h"

namespace tidemark::ui {
namespace {

constexpr size_t kFirstRows = 32;  // so that something is seen at once
constexpr size_t kRowsAtOnce = 256;
constexpr int64_t kMostHopelessLines = 1000;
constexpr qsizetype kStartLength = 120;
constexpr std::chrono::milliseconds kShortestInterval{100};

// What tells one row of a dataset from the next: the first words that are not the system's.
std::string_view beginningOf(const text::SourceRow& row) {
  if (!row.isConversation()) return row.prompt.empty() ? row.completion : row.prompt;
  for (const text::Message& message : row.messages)
    if (message.role != "system" && !message.content.empty()) return message.content;
  return row.messages.front().content;
}

QString problemText(const text::RowProblem& problem) {
  const QString what = QString::fromStdString(problem.what);
  return problem.column > 0 ? QStringLiteral("column %1: %2").arg(problem.column).arg(what) : what;
}

class Scan {
 public:
  Scan(const OpenedData& data, const std::function<bool(ScanBatch)>& take)
      : data_(data), take_(take), labeller_(*data.tokenizer, data.settings.trainOn) {}

  Status run() {
    TIDEMARK_ASSIGN(auto reader, text::SourceReader::open(data_.settings.train, data_.settings.format));
    const Status status = readAll(reader);
    if (!status.ok() && status.error().code == ErrorCode::Cancelled) return status;
    const Status last = deliver(reader);
    return status.ok() ? last : status;
  }

 private:
  Status readAll(text::SourceReader& reader) {
    while (auto line = reader.next()) {
      TIDEMARK_TRY(add(std::move(*line)));
      const size_t wanted = delivered_ > 0 ? kRowsAtOnce : kFirstRows;
      if (batch_.rows.size() % wanted != 0) continue;
      TIDEMARK_TRY(labelPending());
      TIDEMARK_TRY(deliverInTime(reader));
    }
    return labelPending();
  }

  Status add(text::SourceLine line) {
    RowFacts facts;
    facts.place = line.place;
    if (!line.row) {
      facts.problem = visibleText(problemText(line.problem));
      batch_.rows.push_back(std::move(facts));
      if (usable_ == 0 && ++hopeless_ == kMostHopelessLines)
        return Error{ErrorCode::InvalidInput, data_.settings.train.string(),
                     "none of its first " + std::to_string(kMostHopelessLines) + " lines is a usable row"};
      return {};
    }
    ++usable_;
    facts.state = RowFacts::State::Usable;
    facts.isConversation = line.row->isConversation();
    facts.start = visibleStart(beginningOf(*line.row), kStartLength);
    pendingPlaces_.push_back(batch_.rows.size());
    pending_.push_back(std::move(*line.row));
    batch_.rows.push_back(std::move(facts));
    return {};
  }

  Status deliverInTime(const text::SourceReader& reader) {
    const auto now = std::chrono::steady_clock::now();
    // The more rows there are, the longer it takes to show them.
    const auto interval = kShortestInterval + std::chrono::milliseconds(delivered_ / 1000);
    if (delivered_ > 0 && now - lastDelivery_ < interval) return {};
    lastDelivery_ = now;
    return deliver(reader);
  }

  Status labelPending() {
    if (pending_.empty()) return {};
    auto labelled = labeller_.label(pending_);
    if (!labelled.ok()) {
      forgetFrom(0);
      return labelled.error();
    }
    for (size_t i = 0; i < labelled->size(); ++i) note((*labelled)[i], batch_.rows[pendingPlaces_[i]]);
    if (labelled->size() < pending_.size()) {
      const std::string line = std::to_string(pending_[labelled->size() - 1].line);
      forgetFrom(labelled->size());
      return Error{ErrorCode::Internal, data_.settings.train.string(),
                   "line " + line + " ended the chat template, so no row after it can be rendered: " +
                       labelled->back().error().message()};
    }
    pending_.clear();
    pendingPlaces_.clear();
    return {};
  }

  // Rows that were not labelled are not handed over.
  void forgetFrom(size_t pendingIndex) {
    batch_.rows.resize(pendingPlaces_[pendingIndex]);
    pending_.clear();
    pendingPlaces_.clear();
  }

  void note(const Result<text::LabelledText>& labelled, RowFacts& facts) {
    if (!labelled.ok()) {
      facts.state = RowFacts::State::Refused;
      facts.problem = visibleText(QString::fromStdString(labelled.error().message()));
      return;
    }
    const text::LabelledRow row = labelled->row();
    facts.tokens = static_cast<int64_t>(row.ids.size());
    facts.loss = lossRuns(row.hasLoss);
    Sha256 hash;
    hash.add(std::span(row.ids));
    hash.add(std::span(row.hasLoss));
    const auto [first, isNew] = seen_.try_emplace(hash.finish(), facts.place.line);
    if (!isNew) facts.duplicateOf = first->second;
  }

  Status deliver(const text::SourceReader& reader) {
    batch_.format = reader.format();
    batch_.blankLines = reader.blankLines();
    batch_.hasByteOrderMark = reader.hasByteOrderMark();
    batch_.bytesRead = reader.bytesRead();
    batch_.bytes = reader.bytes();
    delivered_ += static_cast<int64_t>(batch_.rows.size());
    if (take_(std::exchange(batch_, {}))) return {};
    return Error{ErrorCode::Cancelled, data_.settings.train.string(), "was not read to its end"};
  }

  const OpenedData& data_;
  const std::function<bool(ScanBatch)>& take_;
  text::RowLabeller labeller_;
  ScanBatch batch_;
  std::vector<text::SourceRow> pending_;
  std::vector<size_t> pendingPlaces_;  // in batch_.rows
  std::map<Sha256::Digest, int64_t> seen_;
  std::chrono::steady_clock::time_point lastDelivery_{};
  int64_t delivered_ = 0, usable_ = 0, hopeless_ = 0;
};

}  // namespace

Result<FileStamp> stampOf(const std::filesystem::path& file) {
  std::error_code failure;
  const uint64_t bytes = std::filesystem::file_size(file, failure);
  if (failure) return Error{ErrorCode::Io, file.string(), failure.message()};
  const auto changed = std::filesystem::last_write_time(file, failure);
  if (failure) return Error{ErrorCode::Io, file.string(), failure.message()};
  return FileStamp{bytes, changed};
}

Result<OpenedData> openData(const std::string& model, const text::DatasetSettings& settings) {
  OpenedData data{settings, nullptr, {}};
  TIDEMARK_ASSIGN(data.stamp, stampOf(settings.train));
  TIDEMARK_ASSIGN(const auto path, weights::resolveModelPath(model));
  auto tokenizer = text::Tokenizer::open(path);
  if (!tokenizer.ok()) return tokenizer.error().within("reading the model's tokenizer");
  data.tokenizer = std::move(tokenizer).value();
  return data;
}

Status scanDataset(const OpenedData& data, const std::function<bool(ScanBatch)>& take) { return Scan(data, take).run(); }

}  // namespace tidemark::ui
