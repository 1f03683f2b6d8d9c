#include "core/fit/predictor.h"

#include <algorithm>
#include <optional>

#include "core/memory/plan_budget.h"

namespace tidemark::fit {
namespace {

// As the engine chooses (core/train/memory_control.cpp): beyond this many tokens larger products are no faster, and among nearly
// equal predictions the larger micro-batch wins.
constexpr int64_t kTokensForFullSpeed = 2048;
constexpr double kNearlyEqual = 0.98;
// Waiting less than this is not what binds.
constexpr double kNotableShare = 0.03;

memory::Policy policyOf(const std::string& name) {
  if (name == "pinned") return memory::Policy::Pinned;
  if (name == "gather-always") return memory::Policy::GatherAlways;
  return name == "unsharded" ? memory::Policy::Unsharded : memory::Policy::Elastic;
}

std::string momentName(const memory::PeakMoment& moment, const memory::Estimate& estimate) {
  using Kind = memory::PeakMoment::Kind;
  switch (moment.kind) {
    case Kind::Forward: return estimate.operators[moment.piece + 1].name + ", forward";
    case Kind::Backward: return estimate.operators[moment.piece + 1].name + ", backward";
    case Kind::Embedding: return "embedding";
    case Kind::LossHead: return "loss head";
    case Kind::Boundary: return "optimizer";
  }
  return "";
}

// What is held of activations when a moment begins; what else it takes beyond fixed bytes and remote weights is workspace.
int64_t activationsAt(const memory::PeakMoment& moment, const memory::IterationFigures& figures) {
  using Kind = memory::PeakMoment::Kind;
  if (moment.kind == Kind::Boundary || moment.kind == Kind::Embedding) return 0;
  size_t count = figures.operators.size();
  if (moment.kind == Kind::Forward) count = moment.piece;
  if (moment.kind == Kind::Backward) count = moment.piece + 1;
  int64_t bytes = figures.embedding.activationBytes;
  for (size_t i = 0; i < count; ++i) bytes += figures.operators[i].activationBytes;
  return bytes;
}

PeakParts partsOf(const memory::PeakMoment& moment, const memory::IterationFigures& figures, const memory::Estimate& estimate) {
  PeakParts parts;
  parts.staticBytes = estimate.staticBytes;
  parts.trainableBytes = estimate.trainableBytes;
  parts.dynamicBytes = moment.dynamicBytes;
  const int64_t beyond = moment.bytes - moment.dynamicBytes - estimate.staticBytes - estimate.trainableBytes;
  parts.activationBytes = std::min(beyond, activationsAt(moment, figures));
  parts.workspaceBytes = beyond - parts.activationBytes;
  return parts;
}

}  // namespace

const char* bindsName(Binds binds) {
  switch (binds) {
    case Binds::Compute: return "compute";
    case Binds::Gathers: return "gathers";
    case Binds::Exchanges: return "exchanges";
    case Binds::Processors: return "processors";
  }
  return "";
}

memory::EstimateInput Predictor::shapeFor(const run::RunConfig& config) const {
  const std::string& weights = config.memory.weights;
  auto found = shapes_.find(weights);
  if (found == shapes_.end()) {
    const weights::WeightForm form = weights::weightForm(weights).value_or(weights::WeightForm::Float32);
    found = shapes_.emplace(weights, memory::estimateInputOf(*model_, form)).first;
  }
  memory::EstimateInput in = found->second;
  in.mayRecompute = config.memory.activations != "save";
  in.r = config.peft.r;
  in.dropout = config.peft.loraDropout;
  in.targets = config.peft.targetModules;
  in.ranks = config.parallel.ranks;
  in.threadsPerRank = config.parallel.threadsPerRank;
  in.policy = policyOf(config.memory.policy);
  return in;
}

void Predictor::addProfile(const Profile& profile, const run::RunConfig& config) {
  run::RunConfig alone = config;
  alone.parallel.ranks = 1;
  alone.memory.weights = profile.weights;
  memory::EstimateInput in = shapeFor(alone);
  in.tokens = profile.figures.tokens;
  in.rankTargets = in.allTargets = std::max<int64_t>(1, profile.rankTargets);
  in.longestRow = profile.longestRow;
  in.meanRow = profile.meanRow;
  profiles_[profile.weights] = {profile, std::move(in)};
}

int64_t Predictor::budgetFor(const run::RunConfig& config) const {
  return config.memory.budgetBytes > 0 ? config.memory.budgetBytes : machine_.memoryBytes;
}

Result<FormulaFigures> Predictor::figuresFor(const memory::EstimateInput& input, const std::string& weights,
                                             bool& isProfiled) const {
  const Machine machine = machine_.withNominalSpeed();
  auto found = profiles_.find(weights);
  isProfiled = found != profiles_.end();
  if (!isProfiled) found = profiles_.find("float32");
  if (found == profiles_.end()) return formulaFigures(input, machine);
  return calibrated(input, machine, found->second.profile, found->second.input);
}

Prediction Predictor::predict(const run::RunConfig& config) const {
  Prediction refused;
  refused.config = config;
  refused.budgetBytes = budgetFor(config);
  if (const std::vector<run::ConfigProblem> problems = run::validate(config); !problems.empty()) {
    refused.refusal = problems.front().key + ": " + problems.front().what;
    return refused;
  }
  const SequenceSizes& sizes = rows_->sequences(config.dataset);
  if (sizes.rows == 0 || sizes.tokens <= 0) {
    refused.refusal = "dataset.max_seq_length: no row of the data fits " + std::to_string(config.dataset.maxSeqLength) + " tokens";
    return refused;
  }
  if (sizes.tooLong > 0 && config.dataset.truncation == "error") {
    refused.refusal = "dataset.max_seq_length: " + std::to_string(sizes.tooLong) + " rows are longer, and dataset.truncation is error";
    return refused;
  }
  if (config.training.microBatchSize > 0) return predictAt(config, config.training.microBatchSize);
  const int64_t perRank = config.training.globalBatchSize / config.parallel.ranks;
  std::optional<Prediction> best;
  for (int64_t candidate = 1; candidate <= perRank; ++candidate) {
    if (perRank % candidate != 0) continue;
    if (candidate > 1 && candidate * sizes.tokens > kTokensForFullSpeed) break;
    Prediction next = predictAt(config, candidate);
    if (!best) best = std::move(next);
    else if (!next.fits) break;  // more does not fit either
    else if (next.tokensPerSecond >= kNearlyEqual * best->tokensPerSecond) best = std::move(next);
    if (!best->fits) break;
  }
  return std::move(*best);
}

Prediction Predictor::predictAt(const run::RunConfig& config, int64_t microBatch) const {
  Prediction p;
  p.config = config;
  p.config.training.microBatchSize = microBatch;
  p.budgetBytes = budgetFor(config);
  p.microBatch = microBatch;
  p.accumulate = config.training.globalBatchSize / config.parallel.ranks / microBatch;
  const SequenceSizes& sizes = rows_->sequences(config.dataset);
  memory::EstimateInput in = shapeFor(config);
  in.tokens = microBatch * sizes.tokens;
  in.rankTargets = microBatch * sizes.targets;
  in.allTargets = config.parallel.ranks * in.rankTargets;
  in.longestRow = sizes.longestRow;
  in.meanRow = sizes.meanRow;
  Result<FormulaFigures> figures = figuresFor(in, config.memory.weights, p.isProfiled);
  if (!figures.ok()) {
    p.refusal = figures.error().message();
    return p;
  }
  const size_t count = figures->figures.operators.size();
  const memory::Recomputed none(count, false);
  const memory::ChoiceInput input = choiceInput(*figures, in, p.config);
  p.leastBudgetBytes = memory::leastBudgetBytes(figures->figures, none, input);
  p.wholeBudgetBytes = figures->estimate.wholeBudgetBytes;
  p.operators = static_cast<int64_t>(count);
  if (p.leastBudgetBytes > p.budgetBytes) return p;
  // Ids, positions, targets and rotary angles of a micro-batch, as the engine reckons with (core/train/memory_control.cpp).
  const int64_t perToken = 5 * static_cast<int64_t>(sizeof(int64_t)) + in.headSize * static_cast<int64_t>(sizeof(float));
  const memory::FlowBytes flow{input.outputBytes, in.tokens * perToken};
  const Result<memory::MemoryChoice> choice =
      memory::fastestBreadth(memory::accumulationFrom(config.memory.accumulation), p.accumulate, [&](int64_t breadth) {
        return memory::chooseMemory(memory::withBreadth(figures->figures, breadth, input.pieces.hasBackward, flow), none, input);
      });
  if (!choice.ok()) {
    p.refusal = choice.error().message();
    return p;
  }
  p.fits = true;
  const memory::PeakMoment moment = memory::predictPeak(choice->figures, figures->pieces, choice->plan.keeps, choice->plan.prefetchDepth);
  p.peak = partsOf(moment, choice->figures, figures->estimate);
  p.peakMoment = momentName(moment, figures->estimate);
  p.recomputedOperators = std::count(choice->recomputed.begin(), choice->recomputed.end(), true);
  p.breadth = choice->figures.breadth;
  p.remoteBytes = choice->plan.remoteBytes;
  p.optimalRemoteBytes = choice->plan.optimalRemoteBytes;
  addTimes(p, *figures, *choice);
  return p;
}

memory::ChoiceInput Predictor::choiceInput(const FormulaFigures& figures, const memory::EstimateInput& in,
                                           const run::RunConfig& config) const {
  memory::ChoiceInput input;
  input.pieces = figures.pieces;
  input.policy = in.policy;
  input.budgetBytes = budgetFor(config);
  input.outputBytes = in.tokens * in.hiddenSize * static_cast<int64_t>(sizeof(float));
  input.activations = memory::activationsFrom(config.memory.activations);
  input.processors = {static_cast<double>(machine_.processors) / static_cast<double>(config.parallel.ranks),
                      static_cast<double>(config.parallel.threadsPerRank)};
  input.processorSecondsPerByte = machine_.processorSecondsPerByte;
  return input;
}

void Predictor::addTimes(Prediction& p, const FormulaFigures& figures, const memory::MemoryChoice& choice) const {
  const auto ranks = static_cast<double>(p.config.parallel.ranks), breadth = static_cast<double>(p.breadth);
  const auto iterations = static_cast<double>(p.accumulate) / breadth;
  const memory::IterationFigures& f = choice.figures;
  const double compute = f.computeSeconds(), exchanging = breadth * figures.exchangeSeconds;
  const double unhindered = choice.plan.predictedSeconds + f.embedding.forwardSeconds + f.lossHead.forwardSeconds + exchanging;
  const double iteration = std::max(unhindered, choice.seconds);
  // Gradients of the adapters are summed once a step: each rank receives them twice, but for its own part.
  const double gradients = static_cast<double>(figures.estimate.trainableBytes) / 4;
  const double bandwidth = machine_.withNominalSpeed().bytesPerSecond.value;
  const double summing = ranks > 1 ? 2 * gradients * (ranks - 1) / ranks / bandwidth : 0;
  const double tokens = static_cast<double>(f.tokens) * breadth * ranks * iterations;  // of a step of the largest batches
  p.hasSpeed = machine_.hasSpeed() || !profiles_.empty();
  p.tokensPerSecond = tokens / (iterations * iteration + summing);
  p.tokensPerSecondIfHidden = tokens / (iterations * unhindered + summing);
  const double step = static_cast<double>(p.config.training.globalBatchSize) * rows_->sequences(p.config.dataset).meanTokens;
  p.secondsPerStep = step / p.tokensPerSecond;
  p.waitingShare = std::max(0.0, 1 - iterations * compute / (iterations * iteration + summing));
  if (choice.seconds > unhindered && choice.seconds > (1 + kNotableShare) * compute) p.binds = Binds::Processors;
  else if (p.waitingShare > kNotableShare)
    p.binds = iterations * choice.plan.exposedSeconds > iterations * exchanging + summing ? Binds::Gathers : Binds::Exchanges;
}

}  // namespace tidemark::fit
