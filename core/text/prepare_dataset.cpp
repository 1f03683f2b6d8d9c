// prepareDataset: read, render, tokenise, mask, choose the evaluation rows, write.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/counted.h"
#include "core/base/random.h"
#include "core/text/dataset_reader.h"
#include "core/text/label_mask.h"
#include "core/text/prepared_dataset.h"
#include "core/text/prepared_file.h"
#include "core/text/row_labeller.h"
#include "core/text/row_problems.h"
#include "core/text/row_use.h"

namespace tidemark::text {
namespace {

constexpr size_t kRowsPerExchange = 512;  // bounds the text in flight between us and the template's process

Status checkSettings(const DatasetSettings& settings) {
  if (settings.maxSequenceLength < 2)
    return Error{ErrorCode::InvalidConfig, "dataset.max_seq_length", "must be at least 2"};
  if (!(settings.evalFraction >= 0 && settings.evalFraction < 1))
    return Error{ErrorCode::InvalidConfig, "dataset.eval", "a fraction must lie in [0, 1)"};
  return {};
}

class Preparation {
 public:
  Preparation(const DatasetSettings& settings, const Tokenizer& tokenizer)
      : settings_(settings), tokenizer_(tokenizer), labeller_(tokenizer, settings.trainOn) {}

  Result<DatasetReport> run(const std::filesystem::path& target) {
    std::vector<LabelledRow> train, eval;
    TIDEMARK_TRY(addFile(settings_.train, train));
    if (!settings_.eval.empty()) TIDEMARK_TRY(addFile(settings_.eval, eval));
    if (problems_.hasFatal()) return problems_.toError(settings_.train.string());
    if (settings_.eval.empty()) chooseEvaluationRows(train, eval);
    if (train.empty()) return nothingLeft();
    report_.trainRows = static_cast<int64_t>(train.size());
    report_.evalRows = static_cast<int64_t>(eval.size());
    for (const LabelledRow& row : train) {
      report_.trainTokens += static_cast<int64_t>(row.ids.size());
      report_.trainTargetTokens += row.targetCount();
    }
    TIDEMARK_ASSIGN(report_.contentHash, writePreparedFile(target, train, eval, tokenizer_.vocabularySize()));
    report_.problems = problems_.list();
    return std::move(report_);
  }

 private:
  Status addFile(const std::filesystem::path& path, std::vector<LabelledRow>& kept) {
    fileName_ = path.string();
    TIDEMARK_ASSIGN(const SourceFile file, readSourceFile(path, settings_.format, problems_));
    report_.blankLines += file.blankLines;
    for (size_t first = 0; first < file.rows.size(); first += kRowsPerExchange) {
      const size_t count = std::min(kRowsPerExchange, file.rows.size() - first);
      TIDEMARK_TRY(addRows(std::span(file.rows).subspan(first, count), kept));
    }
    return {};
  }

  Status addRows(std::span<const SourceRow> rows, std::vector<LabelledRow>& kept) {
    TIDEMARK_ASSIGN(const auto labelled, labeller_.label(rows));
    for (size_t i = 0; i < labelled.size(); ++i) {
      if (labelled[i].ok()) add(rows[i], labelled[i]->row(), kept);
      else refuse(rows[i], labelled[i].error().message());
    }
    if (labelled.size() < rows.size()) return problems_.toError(settings_.train.string());
    return {};
  }

  void refuse(const SourceRow& row, const std::string& what) { problems_.add({fileName_, row.line, 0, what, true}); }
  void note(const SourceRow& row, const std::string& what) { problems_.add({fileName_, row.line, 0, what, false}); }

  void add(const SourceRow& source, LabelledRow row, std::vector<LabelledRow>& kept) {
    const size_t whole = row.ids.size();
    const size_t limit = std::min(whole, static_cast<size_t>(settings_.maxSequenceLength));
    const std::string lengths =
        counted(static_cast<int64_t>(whole), "token") + ", " + std::to_string(settings_.maxSequenceLength) + " are allowed";
    row.ids.resize(limit);
    row.hasLoss.resize(limit);
    const RowSize size{static_cast<int64_t>(whole), row.targetCount()};
    switch (useOfRow(size, settings_.maxSequenceLength, settings_.truncation)) {
      case RowUse::RefusedLong: return refuse(source, "is too long: " + lengths);
      case RowUse::TooLong:
        ++report_.droppedLong;
        return note(source, "left out, too long: " + lengths);
      case RowUse::WithoutLoss:
        ++report_.withoutLoss;
        return note(source, limit < whole ? "left out: cut (" + lengths + "), none of its tokens carries loss"
                                          : "left out: none of its tokens carries loss");
      case RowUse::Cut:
        ++report_.truncated;
        note(source, "cut: " + lengths);
        break;
      case RowUse::Whole: break;
    }
    report_.longestRow = std::max(report_.longestRow, static_cast<int64_t>(limit));
    kept.push_back(std::move(row));
  }

  // A fixed share of the rows, drawn by the seed, in the order of the file. At least one, and never all.
  void chooseEvaluationRows(std::vector<LabelledRow>& train, std::vector<LabelledRow>& eval) const {
    if (settings_.evalFraction == 0 || train.size() < 2) return;
    const auto wanted = static_cast<size_t>(std::llround(settings_.evalFraction * static_cast<double>(train.size())));
    const size_t count = std::clamp<size_t>(wanted, 1, train.size() - 1);
    std::vector<size_t> order(train.size());
    std::iota(order.begin(), order.end(), 0);
    SplitMix64 random(settings_.seed);
    shuffle(order, random);
    std::vector<bool> isChosen(train.size());
    for (size_t i = 0; i < count; ++i) isChosen[order[i]] = true;
    std::vector<LabelledRow> rest;
    for (size_t i = 0; i < train.size(); ++i) (isChosen[i] ? eval : rest).push_back(std::move(train[i]));
    train = std::move(rest);
  }

  Error nothingLeft() const {
    const bool isEmpty = report_.droppedLong + report_.withoutLoss == 0;
    std::string detail = "no row is left to train on: " + std::to_string(report_.droppedLong) + " too long, " +
                         std::to_string(report_.withoutLoss) + " without loss, " + counted(report_.blankLines, "blank line");
    if (!isEmpty) detail += "; raise dataset.max_seq_length, or set dataset.truncation or dataset.train_on";
    const auto listed = problems_.list();
    for (size_t i = 0; i < std::min<size_t>(listed.size(), 5); ++i)
      detail += "\n" + listed[i].file + ":" + std::to_string(listed[i].line) + ": " + listed[i].what;
    return {isEmpty ? ErrorCode::InvalidInput : ErrorCode::InvalidConfig, settings_.train.string(), detail};
  }

  const DatasetSettings& settings_;
  const Tokenizer& tokenizer_;
  RowLabeller labeller_;
  RowProblems problems_;
  DatasetReport report_;
  std::string fileName_;
};

}  // namespace

Result<DatasetReport> prepareDataset(const DatasetSettings& settings, const Tokenizer& tokenizer,
                                     const std::filesystem::path& target) {
  TIDEMARK_TRY(checkSettings(settings));
  return Preparation(settings, tokenizer).run(target);
}

}  // namespace tidemark::text
