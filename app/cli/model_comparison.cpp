#include "app/cli/model_comparison.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <set>

#include "app/cli/preflight.h"
#include "app/cli/program_lines.h"
#include "core/base/random.h"
#include "core/memory/estimate.h"
#include "core/text/packing.h"
#include "core/text/prepared_dataset.h"

namespace tidemark::cli {
namespace fs = std::filesystem;
namespace {

int64_t frozenBytes(const weights::ModelSource& source, weights::WeightForm form) {
  int64_t bytes = 0;
  for (const weights::TensorInfo& tensor : source.tensors())
    bytes += tensor.shape.size() == 1 ? 4 * tensor.shape[0]
                                      : tensor.shape[0] * weights::formatFor(form, source, tensor.name).rowBytes();
  return bytes;
}

// As a run of one sequence a rank would begin.
Status estimate(const run::RunConfig& config, const weights::ModelSource& source, const text::PreparedDataset& data, ComparedModel& model) {
  const weights::WeightForm form = weights::weightForm(config.memory.weights).value_or(weights::WeightForm::Float32);
  memory::EstimateInput in = memory::estimateInputOf(source, form);
  std::vector<text::RowSize> rows;
  for (int64_t i = 0; i < data.trainCount(); ++i)
    rows.push_back({static_cast<int64_t>(data.train(i).ids.size()), data.train(i).targetCount});
  const text::RowSize largest = text::largestSequence(rows, config.dataset.maxSeqLength, config.dataset.packing);
  in.r = config.peft.r;
  in.dropout = config.peft.loraDropout;
  in.targets = config.peft.targetModules;
  in.longestRow = std::max<int64_t>(1, model.longestRow - 1);
  in.tokens = std::max<int64_t>(1, largest.tokens - 1);
  in.rankTargets = std::max<int64_t>(1, largest.targets);
  in.ranks = config.parallel.ranks;
  in.allTargets = in.ranks * in.rankTargets;
  in.threadsPerRank = config.parallel.threadsPerRank;
  in.mayRecompute = config.memory.activations != "save";
  TIDEMARK_ASSIGN(const memory::Estimate found, memory::estimateMemory(in));
  model.leastBudgetBytes = found.leastBudgetBytes;
  model.wholeBudgetBytes = found.wholeBudgetBytes;
  return {};
}

void take(const Json& line, ComparedModel::Score& score) {
  score.rows = line.value("rows", int64_t{0});
  score.targetTokens = line.value("target_tokens", int64_t{0});
  score.textTokens = line.value("text_tokens", int64_t{0});
  score.textBytes = line.value("text_bytes", int64_t{0});
  score.loss = line.value("loss", 0.0);
  score.perplexity = line.value("perplexity", 0.0);
  score.bitsPerByte = line.value("bits_per_byte", 0.0);
}

}  // namespace

ModelComparison::ModelComparison(run::RunConfig config, ComparisonSettings settings,
                                 std::function<void(const ComparisonProgress&)> onProgress,
                                 std::function<void(size_t, const std::string&)> onStage)
    : config_(std::move(config)), settings_(std::move(settings)), onProgress_(std::move(onProgress)), onStage_(std::move(onStage)),
      models_(settings_.models.size()) {
  for (size_t i = 0; i < models_.size(); ++i) models_[i].model = models_[i].name = settings_.models[i];
}

ModelComparison::~ModelComparison() {
  std::error_code ignored;
  if (!scratch_.empty()) fs::remove_all(scratch_, ignored);
}

Status ModelComparison::run() {
  std::string pattern = (fs::temp_directory_path() / "tidemark-models-XXXXXX").string();
  if (!::mkdtemp(pattern.data())) return Error{ErrorCode::Io, fs::temp_directory_path().string(), "no folder can be made there"};
  scratch_ = pattern;
  std::optional<Error> firstError;
  for (size_t i = 0; i < models_.size(); ++i) {
    onProgress_({i, "data", 0, 0});
    if (const Status looked = lookAt(i); !looked.ok()) {
      models_[i].trouble = looked.error().message();
      if (!firstError) firstError = looked.error();
    }
    onStage_(i, "data");
  }
  if (std::all_of(models_.begin(), models_.end(), [](const ComparedModel& m) { return !m.trouble.empty(); })) return *firstError;
  TIDEMARK_TRY(chooseRows());
  for (size_t i = 0; i < models_.size(); ++i) {
    if (!models_[i].trouble.empty() || commonRows_ == 0) continue;
    score(i);
    onStage_(i, "score");
  }
  for (size_t i = 0; i < models_.size() && settings_.profiles; ++i) {
    if (!models_[i].trouble.empty()) continue;
    profile(i);
    onStage_(i, "profile");
  }
  return {};
}

Status ModelComparison::lookAt(size_t index) {
  ComparedModel& model = models_[index];
  run::RunConfig config = config_;
  config.model = model.model;
  TIDEMARK_ASSIGN(const ModelFacts facts, checkModel(config));
  model.name = facts.name;
  model.format = facts.format;
  model.architecture = weights::architectureName(facts.source->config().architecture);
  model.parameters = facts.parameters;
  model.trainableParameters = facts.trainableParameters;
  model.hasBuiltInTemplate = facts.tokenizer->isTemplateBuiltIn();
  model.frozenBytes = frozenBytes(*facts.source, weights::weightForm(config.memory.weights).value_or(weights::WeightForm::Float32));
  text::DatasetSettings settings = text::datasetSettings(config);
  settings.eval.clear();  // all rows of the training file count
  settings.evalFraction = 0;
  TIDEMARK_ASSIGN(const text::DatasetReport report, text::prepareDataset(settings, *facts.tokenizer, dataOf(index)));
  model.rows = report.trainRows;
  model.tokens = report.trainTokens;
  model.longestRow = report.longestRow;
  model.cutRows = report.truncated;
  model.droppedRows = report.droppedLong;
  model.rowsWithoutLoss = report.withoutLoss;
  TIDEMARK_ASSIGN(const text::PreparedDataset data, text::PreparedDataset::open(dataOf(index)));
  TIDEMARK_TRY(text::checkVocabulary(data.largestId(), facts.source->config().vocabularySize));
  return estimate(config, *facts.source, data, model);
}

// Rows that no tokenizer makes too long, drawn by the seed. Cut rows would end elsewhere for each model: none of those.
Status ModelComparison::chooseRows() {
  std::map<int64_t, size_t> kept;
  size_t used = 0;
  for (size_t i = 0; i < models_.size(); ++i) {
    if (!models_[i].trouble.empty()) continue;
    ++used;
    TIDEMARK_ASSIGN(const text::PreparedDataset data, text::PreparedDataset::open(dataOf(i)));
    for (int64_t row = 0; row < data.trainCount(); ++row)
      if (models_[i].cutRows == 0 || static_cast<int64_t>(data.train(row).ids.size()) < config_.dataset.maxSeqLength)
        ++kept[data.train(row).sourceLine];
  }
  std::vector<int64_t> common;
  for (const auto& [line, count] : kept)
    if (count == used) common.push_back(line);
  commonRows_ = static_cast<int64_t>(common.size());
  SplitMix64 random(static_cast<uint64_t>(config_.training.seed));
  shuffle(common, random);
  common.resize(std::min(common.size(), static_cast<size_t>(settings_.scoredRows)));
  std::ofstream lines(scratch_ / "lines.txt");
  for (const int64_t line : common) lines << line << "\n";
  return lines.flush() ? Status() : Status(Error{ErrorCode::Io, (scratch_ / "lines.txt").string(), "cannot be written"});
}

void ModelComparison::score(size_t index) {
  ComparedModel& model = models_[index];
  onProgress_({index, "score", 0, std::min(commonRows_, settings_.scoredRows)});
  const auto readLine = [&](const std::string& text) {
    const Json line = Json::parse(text, nullptr, false);
    if (!line.is_object()) return;
    if (line.value("event", "") == "rows_scored")
      onProgress_({index, "score", line.value("rows", int64_t{0}), line.value("of", int64_t{0})});
    if (line.value("event", "") == "perplexity") take(line, model.score.emplace());
  };
  const Status ended = runBeside("tidemark-worker", {"perplexity", "--model", model.model, "--prepared", dataOf(index).string(), "--lines",
                                  (scratch_ / "lines.txt").string()}, readLine);
  if (!ended.ok()) model.trouble = ended.error().detail;
}

void ModelComparison::profile(size_t index) {
  ComparedModel& model = models_[index];
  onProgress_({index, "profile", 0, 0});
  std::string reason;
  const auto readLine = [&](const std::string& text) {
    const Json line = Json::parse(text, nullptr, false);
    if (!line.is_object() || line.value("event", "") != "present") return;
    if (!line.value("fits", false)) {
      reason = line.value("reason", "");
      return;
    }
    ComparedModel::Profile found{line.value("micro_batch", int64_t{0}), line.value("predicted_peak_bytes", int64_t{0}),
                                 line.value("predicted_remote_bytes", int64_t{0}), line.value("predicted_tokens_per_second", 0.0), 0};
    if (model.score && model.score->textTokens > 0)
      found.bytesPerSecond = found.tokensPerSecond * static_cast<double>(model.score->textBytes) / static_cast<double>(model.score->textTokens);
    if (!model.profile || found.tokensPerSecond > model.profile->tokensPerSecond) model.profile = found;
  };
  std::vector<std::string> arguments{"plan", settings_.config, "--json"};
  for (const std::string& text : settings_.overrides) arguments.insert(arguments.end(), {"--set", text});
  arguments.insert(arguments.end(), {"--set", "model=" + model.model});
  const Status ended = runBeside("tidemark-cli", arguments, readLine);
  if (!model.profile) model.trouble = !reason.empty() ? config_.memory.policy + " does not fit: " + reason : ended.ok() ? "" : ended.error().detail;
}

Json comparedJson(const ComparedModel& m, const std::string& stage) {
  Json json{{"event", "compared_model"}, {"stage", stage}, {"model", m.model}, {"name", m.name}, {"format", m.format},
            {"architecture", m.architecture}, {"parameters", m.parameters}, {"trainable_parameters", m.trainableParameters},
            {"frozen_bytes", m.frozenBytes}, {"built_in_template", m.hasBuiltInTemplate}, {"rows", m.rows}, {"tokens", m.tokens},
            {"longest_row", m.longestRow}, {"cut_rows", m.cutRows}, {"dropped_rows", m.droppedRows},
            {"rows_without_loss", m.rowsWithoutLoss}, {"least_budget_bytes", m.leastBudgetBytes}, {"whole_budget_bytes", m.wholeBudgetBytes}};
  if (m.score)
    json.update({{"scored_rows", m.score->rows}, {"target_tokens", m.score->targetTokens}, {"text_tokens", m.score->textTokens},
                 {"text_bytes", m.score->textBytes}, {"loss", m.score->loss}, {"perplexity", m.score->perplexity},
                 {"bits_per_byte", m.score->bitsPerByte}});
  if (m.profile)
    json.update({{"micro_batch", m.profile->microBatch}, {"predicted_peak_bytes", m.profile->peakBytes},
                 {"predicted_remote_bytes", m.profile->remoteBytes}, {"predicted_tokens_per_second", m.profile->tokensPerSecond},
                 {"predicted_text_bytes_per_second", m.profile->bytesPerSecond}});
  if (!m.trouble.empty()) json["trouble"] = m.trouble;
  return json;
}

}  // namespace tidemark::cli
