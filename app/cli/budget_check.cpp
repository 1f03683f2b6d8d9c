#include "app/cli/budget_check.h"

#include <algorithm>
#include <vector>

#include "core/base/bytes.h"
#include "core/base/counted.h"
#include "core/fit/machine.h"
#include "core/memory/estimate.h"
#include "core/memory/plan_budget.h"
#include "core/text/packing.h"

namespace tidemark::cli {
namespace {

// What is proposed: not more ranks, not shorter sequences.
constexpr int64_t kMostRanks = 64;
constexpr int64_t kShortestSequence = 16;

// What the estimate depends on and a person may change.
struct Choice {
  int64_t sequenceLength = 0;  // tokens of the longest sequence
  int64_t microBatch = 1;
  int64_t ranks = 1;
  weights::WeightForm form = weights::WeightForm::Float32;
};

class BudgetCheck {
 public:
  BudgetCheck(const run::RunConfig& config, const weights::ModelSource& model, const text::PreparedDataset& data)
      : config_(config), model_(model), freeBytes_(memory::availableHostBytes()) {
    for (int64_t i = 0; i < data.trainCount(); ++i)
      rows_.push_back({static_cast<int64_t>(data.train(i).ids.size()), data.train(i).targetCount});
    const text::RowSize largest = text::largestSequence(rows_, config.dataset.maxSeqLength, config.dataset.packing);
    asked_ = {largest.tokens, std::max<int64_t>(1, config.training.microBatchSize), config.parallel.ranks,
              weights::weightForm(config.memory.weights).value()};
  }

  Status check() const {
    TIDEMARK_ASSIGN(const memory::Estimate estimate, estimateOf(asked_));
    if (estimate.leastBudgetBytes <= budgetFor(asked_.ranks)) return {};
    return Error{ErrorCode::OutOfMemory, "memory.budget",
                 budgetText() + ", and each rank needs at least " +
                     formatBytes(estimate.leastBudgetBytes) + " (static cache " + formatBytes(estimate.staticBytes) +
                     ", trainable state " + formatBytes(estimate.trainableBytes) + ", activations " +
                     formatBytes(estimate.leastActivationBytes) + ", the rest workspace and the weights in use). " + proposals()};
  }

 private:
  bool isAutomatic() const { return config_.memory.budgetBytes == 0; }
  int64_t budgetFor(int64_t ranks) const {
    return isAutomatic() ? memory::automaticBudgetBytes(freeBytes_, ranks) : config_.memory.budgetBytes;
  }
  std::string budgetText() const {
    if (!isAutomatic()) return "is " + formatBytes(config_.memory.budgetBytes);
    return "is auto: of the " + formatBytes(freeBytes_) + " that this machine has free, each of " +
           counted(asked_.ranks, "rank") + " gets " + formatBytes(budgetFor(asked_.ranks));
  }

  Result<memory::Estimate> estimateOf(const Choice& choice) const {
    memory::EstimateInput in = memory::estimateInputOf(model_, choice.form);
    in.mayRecompute = config_.memory.activations != "save";
    in.r = config_.peft.r;
    in.dropout = config_.peft.loraDropout;
    in.targets = config_.peft.targetModules;
    in.ranks = choice.ranks;
    in.threadsPerRank = config_.parallel.threadsPerRank;
    in.policy = config_.memory.policy == "unsharded" ? memory::Policy::Unsharded : memory::Policy::Elastic;
    // Shorter sequences cut rows or leave them out; at worst what is left of a row is its densest part.
    std::vector<text::RowSize> rows = rows_;
    for (text::RowSize& row : rows) {
      row.tokens = std::min(row.tokens, choice.sequenceLength);
      row.targets = std::min(row.targets, row.tokens - 1);
      in.longestRow = std::max(in.longestRow, row.tokens - 1);
    }
    const text::RowSize largest = text::largestSequence(rows, choice.sequenceLength, config_.dataset.packing);
    in.tokens = choice.microBatch * (largest.tokens - 1);  // nothing is computed from the last token of a row
    in.rankTargets = choice.microBatch * std::max<int64_t>(1, largest.targets);
    in.allTargets = choice.ranks * in.rankTargets;
    return memory::estimateMemory(in);
  }

  bool fits(const Choice& choice) const {
    const auto estimate = estimateOf(choice);
    return estimate.ok() && estimate->leastBudgetBytes <= budgetFor(choice.ranks);
  }

  // 0: none fits.
  int64_t longestThatFits() const {
    int64_t low = kShortestSequence - 1, high = asked_.sequenceLength;
    while (low + 1 < high) {
      const int64_t middle = (low + high) / 2;
      if (fits({middle, asked_.microBatch, asked_.ranks, asked_.form})) low = middle;
      else high = middle;
    }
    return low >= kShortestSequence ? low : 0;
  }

  int64_t microBatchThatFits() const {
    const int64_t perRank = config_.training.globalBatchSize / asked_.ranks;
    for (int64_t candidate = asked_.microBatch - 1; candidate > 0; --candidate)
      if (perRank % candidate == 0 && fits({asked_.sequenceLength, candidate, asked_.ranks, asked_.form})) return candidate;
    return 0;
  }

  int64_t ranksThatFit() const {
    for (int64_t ranks = asked_.ranks + 1; ranks <= kMostRanks; ++ranks) {
      if (config_.training.globalBatchSize % ranks != 0) continue;
      const int64_t perRank = config_.training.globalBatchSize / ranks;
      if (perRank % asked_.microBatch == 0 && fits({asked_.sequenceLength, asked_.microBatch, ranks, asked_.form})) return ranks;
    }
    return 0;
  }

  // The form that loses least; nullptr: none fits.
  const char* formThatFits() const {
    if (asked_.form != weights::WeightForm::Float32 || !fit::usesHostMemory(config_)) return nullptr;
    for (const char* name : {"stored", "int8", "nf4"})
      if (fits({asked_.sequenceLength, asked_.microBatch, asked_.ranks, *weights::weightForm(name)})) return name;
    return nullptr;
  }

  std::string proposals() const {
    std::vector<std::string> ways;
    if (const int64_t length = longestThatFits()) ways.push_back("dataset.max_seq_length up to " + std::to_string(length));
    if (const int64_t batch = microBatchThatFits()) ways.push_back("training.micro_batch_size " + std::to_string(batch));
    if (const char* form = formThatFits()) ways.push_back(std::string("memory.weights ") + form);
    if (const int64_t ranks = ranksThatFit()) ways.push_back("parallel.ranks " + std::to_string(ranks));
    if (ways.empty()) {
      return std::string("Shorter sequences, a smaller micro-batch, more ranks or quantised weights: none of these alone fits this budget. ") +
             (isAutomatic() ? "Combine them, close other programs, or use a smaller model" : "Combine them, or raise it");
    }
    std::string text = "At this budget fits: " + ways[0];
    for (size_t i = 1; i < ways.size(); ++i) text += ", or " + ways[i];
    return text;
  }

  const run::RunConfig& config_;
  const weights::ModelSource& model_;
  int64_t freeBytes_;  // of the machine
  std::vector<text::RowSize> rows_;
  Choice asked_;
};

}  // namespace

Status checkBudget(const run::RunConfig& config, const weights::ModelSource& model, const text::PreparedDataset& data) {
  if (config.memory.budgetBytes == 0 && (!fit::usesHostMemory(config) || memory::availableHostBytes() == 0)) return {};
  return BudgetCheck(config, model, data).check();
}

Status checkAnyPolicy(run::RunConfig config, const weights::ModelSource& model, const text::PreparedDataset& data) {
  config.memory.policy = "gather-always";
  return checkBudget(config, model, data);
}

}  // namespace tidemark::cli
