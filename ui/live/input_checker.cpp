#include "ui/live/input_checker.h"

#include <QCoreApplication>
#include <QTemporaryDir>
#include <algorithm>
#include <fstream>
#include <map>

#include "core/text/dataset_settings.h"
#include "core/text/prepared_dataset.h"
#include "core/text/tokenizer.h"
#include "core/weights/hub_cache.h"
#include "core/weights/model_source.h"
#include "plots/quantity.h"

namespace tidemark::ui {
namespace {

constexpr uint64_t kMostBytesChecked = 8 << 20;  // a second or two; of longer files the beginning is checked, and said so

QString tr(const char* text, int count = -1) {
  return QCoreApplication::translate("tidemark::ui::InputChecker", text, nullptr, count);
}

InputReport bad(const QString& key, const Error& error) {
  return {.generation = 0, .key = key, .isGood = false, .summary = QString::fromStdString(error.message()), .problems = {}};
}

const char* familyName(weights::Architecture architecture) {
  switch (architecture) {
    case weights::Architecture::Llama: return "Llama";
    case weights::Architecture::Gemma3: return "Gemma 3";
  }
  return "";
}

// The stored type that most of the model's bytes have.
std::string mainType(const weights::ModelSource& source) {
  std::map<std::string, uint64_t> bytes;
  for (const weights::TensorInfo& tensor : source.tensors()) bytes[tensor.storedType] += tensor.storedBytes;
  const auto most = std::max_element(bytes.begin(), bytes.end(), [](auto& a, auto& b) { return a.second < b.second; });
  return most == bytes.end() ? "" : most->first;
}

// The file itself, or where it is long a copy of its first whole lines in `folder`.
Result<std::filesystem::path> beginningOf(const std::filesystem::path& file, const QTemporaryDir& folder, bool& isWhole) {
  std::error_code failure;
  const uint64_t size = std::filesystem::file_size(file, failure);
  if (failure) return Error{ErrorCode::Io, file.string(), failure.message()};
  isWhole = size <= kMostBytesChecked || file.extension() != ".jsonl";
  if (isWhole) return file;
  std::ifstream in(file, std::ios::binary);
  const std::filesystem::path copy = folder.filePath(QStringLiteral("beginning.jsonl")).toStdString();
  std::ofstream out(copy, std::ios::binary);
  std::string line;
  uint64_t copied = 0;
  while (copied < kMostBytesChecked && std::getline(in, line)) {
    out << line << '\n';
    copied += line.size() + 1;
  }
  if (!out.flush()) return Error{ErrorCode::Io, copy.string(), "could not be written"};
  return copy;
}

QString summaryOf(const text::DatasetReport& report, bool isWhole) {
  QStringList parts;
  const QString rows = plots::countText(static_cast<double>(report.trainRows + report.evalRows));
  parts << (isWhole ? tr("%1 rows").arg(rows) : tr("first %1 rows checked").arg(rows));
  parts << tr("%1 tokens").arg(plots::countText(static_cast<double>(report.trainTokens)));
  if (report.evalRows > 0) parts << tr("%1 for evaluation").arg(plots::countText(static_cast<double>(report.evalRows)));
  if (report.droppedLong > 0) parts << tr("%1 too long, left out").arg(report.droppedLong);
  if (report.truncated > 0) parts << tr("%1 cut").arg(report.truncated);
  if (report.withoutLoss > 0) parts << tr("%1 without loss").arg(report.withoutLoss);
  return parts.join(QStringLiteral(" · "));
}

}  // namespace

InputReport checkModel(const std::string& model) {
  const QString key = QStringLiteral("model");
  const auto path = weights::resolveModelPath(model);
  if (!path.ok()) return bad(key, path.error());
  const auto source = weights::ModelSource::open(*path);
  if (!source.ok()) return bad(key, source.error());
  const weights::ModelConfig& config = (*source)->config();
  const QString summary = tr("%1 · %2 layers · %3 parameters · %4 tokens · %5")
                              .arg(QString::fromLatin1(familyName(config.architecture)))
                              .arg(config.layerCount)
                              .arg(plots::countText(static_cast<double>((*source)->parameterCount())),
                                   plots::countText(static_cast<double>(config.vocabularySize)),
                                   QString::fromStdString(mainType(**source)));
  return {.generation = 0, .key = key, .isGood = true, .summary = summary, .problems = {}};
}

InputReport checkData(const run::RunConfig& config) {
  const QString key = QStringLiteral("dataset.train");
  const auto path = weights::resolveModelPath(config.model);
  if (!path.ok()) return bad(key, {ErrorCode::InvalidInput, "", "cannot be checked before the model is right"});
  const auto tokenizer = text::Tokenizer::open(*path);
  if (!tokenizer.ok()) return bad(key, tokenizer.error().within("reading the model's tokenizer"));
  QTemporaryDir folder;
  text::DatasetSettings settings = text::datasetSettings(config);
  bool isWhole = true;
  auto train = beginningOf(settings.train, folder, isWhole);
  if (!train.ok()) return bad(key, train.error());
  settings.train = *train;
  const std::filesystem::path prepared = folder.filePath(QStringLiteral("prepared")).toStdString();
  const auto report = text::prepareDataset(settings, **tokenizer, prepared);
  if (!report.ok()) return bad(key, report.error());
  const auto data = text::PreparedDataset::open(prepared);
  if (!data.ok()) return bad(key, data.error());
  InputReport answer{.generation = 0, .key = key, .isGood = true, .summary = summaryOf(*report, isWhole), .problems = {}};
  answer.rows = std::make_shared<const fit::RowLengths>(fit::RowLengths::of(*data, config.dataset.maxSeqLength));
  answer.rowCount = report->trainRows + (settings.eval.empty() ? report->evalRows : 0) + report->droppedLong + report->withoutLoss;
  for (const text::RowProblem& problem : report->problems) {
    answer.problems << tr("line %1: %2").arg(problem.line).arg(QString::fromStdString(problem.what));
  }
  return answer;
}

InputChecker::InputChecker(QObject* parent) : QObject(parent), worker_(new QObject) {
  worker_->moveToThread(&thread_);
  connect(&thread_, &QThread::finished, worker_, &QObject::deleteLater);
  thread_.setObjectName(QStringLiteral("inputs"));
  thread_.start(QThread::LowPriority);
}

InputChecker::~InputChecker() {
  newest_ = ~quint64{0};  // what has not begun is not begun any more
  thread_.quit();
  thread_.wait();
}

void InputChecker::check(quint64 generation, const run::RunConfig& config) {
  newest_ = generation;
  QMetaObject::invokeMethod(worker_, [this, generation, config] {
    const auto deliver = [this, generation](InputReport report) {
      report.generation = generation;
      emit checked(report);
    };
    if (newest_ == generation && !config.model.empty()) deliver(checkModel(config.model));
    if (newest_ == generation && !config.model.empty() && !config.dataset.train.empty()) deliver(checkData(config));
  });
}

}  // namespace tidemark::ui
