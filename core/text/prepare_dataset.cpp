// prepareDataset: read, render, tokenise, mask, choose the evaluation rows, write.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/text/dataset_reader.h"
#include "core/text/label_mask.h"
#include "core/text/prepared_dataset.h"
#include "core/text/prepared_file.h"
#include "core/text/random.h"
#include "core/text/row_problems.h"
#include "core/text/template_process.h"

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
  Preparation(const DatasetSettings& settings, const Tokenizer& tokenizer) : settings_(settings), tokenizer_(tokenizer) {}

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
    std::vector<PrefixRequest> requests;
    for (const SourceRow& row : rows)
      if (row.isConversation()) requests.push_back(requestFor(row, settings_.trainOn));
    std::vector<Rendering> renderings;
    if (!requests.empty()) {
      TIDEMARK_TRY(startTemplate());
      renderings = template_->render(requests);
    }
    size_t next = 0;
    for (const SourceRow& row : rows) {
      if (!row.isConversation()) {
        add(row, labelPlainText(row, settings_.trainOn, tokenizer_), kept);
        continue;
      }
      const Rendering& rendering = renderings[next++];
      if (rendering.texts.empty()) refuse(row, "the chat template refuses this conversation: " + rendering.refusal);
      else add(row, labelConversation(row, settings_.trainOn, rendering.texts, tokenizer_), kept);
      if (next == renderings.size() && next < requests.size()) return problems_.toError(settings_.train.string());
    }
    return {};
  }

  Status startTemplate() {
    if (template_) return {};
    TemplateSettings settings;
    settings.source = tokenizer_.chatTemplate();
    if (settings.source.empty())
      return Error{ErrorCode::Unsupported, "chat template", "the model has none, so conversations cannot be written as its "
                   "text; use a model with one, or prompt and completion as plain text"};
    if (tokenizer_.bosId() >= 0) settings.bosToken = tokenizer_.tokenText(tokenizer_.bosId());
    if (tokenizer_.eosId() >= 0) settings.eosToken = tokenizer_.tokenText(tokenizer_.eosId());
    TIDEMARK_ASSIGN(template_, TemplateProcess::start(settings));
    return {};
  }

  void refuse(const SourceRow& row, const std::string& what) { problems_.add({fileName_, row.line, 0, what, true}); }
  void note(const SourceRow& row, const std::string& what) { problems_.add({fileName_, row.line, 0, what, false}); }

  void add(const SourceRow& source, Result<LabelledRow> labelled, std::vector<LabelledRow>& kept) {
    if (!labelled.ok()) return refuse(source, labelled.error().message());
    LabelledRow& row = *labelled;
    const auto length = static_cast<int64_t>(row.ids.size());
    if (length > settings_.maxSequenceLength && !fit(source, row)) return;
    if (row.targetCount() == 0) {
      ++report_.withoutLoss;
      return note(source, "left out: none of its tokens carries loss");
    }
    report_.longestRow = std::max(report_.longestRow, static_cast<int64_t>(row.ids.size()));
    kept.push_back(std::move(row));
  }

  // False: the row is not used.
  bool fit(const SourceRow& source, LabelledRow& row) {
    const std::string lengths = std::to_string(row.ids.size()) + " tokens, " + std::to_string(settings_.maxSequenceLength) +
                                " are allowed";
    switch (settings_.truncation) {
      case Truncation::Error:
        refuse(source, "is too long: " + lengths);
        return false;
      case Truncation::Drop:
        ++report_.droppedLong;
        note(source, "left out, too long: " + lengths);
        return false;
      case Truncation::Truncate: break;
    }
    ++report_.truncated;
    note(source, "cut: " + lengths);
    row.ids.resize(static_cast<size_t>(settings_.maxSequenceLength));
    row.hasLoss.resize(row.ids.size());
    return true;
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
    std::string detail = "no row is left to train on: " + std::to_string(report_.droppedLong) + " too long, " +
                         std::to_string(report_.withoutLoss) + " without loss, " + std::to_string(report_.blankLines) + " blank lines";
    const auto listed = problems_.list();
    for (size_t i = 0; i < std::min<size_t>(listed.size(), 5); ++i)
      detail += "\n" + listed[i].file + ":" + std::to_string(listed[i].line) + ": " + listed[i].what;
    return {ErrorCode::InvalidInput, settings_.train.string(), detail};
  }

  const DatasetSettings& settings_;
  const Tokenizer& tokenizer_;
  std::unique_ptr<TemplateProcess> template_;
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
