#include "core/train/memory_control.h"

#include <ATen/Functions.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "core/base/bytes.h"
#include "core/train/optimizer.h"

namespace tidemark::train {
namespace {

// Beyond this many tokens, larger products are no faster.
constexpr int64_t kTokensForFullSpeed = 2048;
// A batch must be this much larger than the measured one to be worth a new plan.
constexpr double kLarger = 1.1;

const char* policyName(memory::Policy policy) {
  switch (policy) {
    case memory::Policy::Elastic: return "elastic";
    case memory::Policy::Pinned: return "pinned";
    case memory::Policy::GatherAlways: return "gather-always";
    case memory::Policy::Unsharded: return "unsharded";
  }
  return "";
}

// FNV-1a; only equality between ranks matters.
uint64_t hashOf(const std::string& text) {
  uint64_t hash = 0xcbf29ce484222325ull;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ull;
  return hash;
}

}  // namespace

Activations activationsFrom(const std::string& name) {
  return name == "save" ? Activations::Save : name == "recompute" ? Activations::Recompute : Activations::Auto;
}

std::vector<memory::Recomputed> allowedRecomputed(Activations activations, const memory::IterationFigures& figures,
                                                  const std::vector<bool>& hasBackward) {
  if (activations == Activations::Save) return {memory::Recomputed(figures.operators.size(), false)};
  if (activations == Activations::Recompute) return {hasBackward};
  return memory::recomputeChoices(figures, hasBackward);
}

MemoryControl::MemoryControl(Settings settings, model::Model& model, IterationRunner& runner, Batches& batches,
                             comm::Communicator& communicator, memory::Ledger& ledger, EventWriter& events)
    : settings_(settings), model_(model), runner_(runner), batches_(batches), communicator_(communicator), ledger_(ledger),
      events_(events), microBatch_(settings.microBatch > 0 ? settings.microBatch : 1) {
  // What is recomputed needs least memory and is measured all the same, so the first iteration fits wherever any does.
  if (settings_.activations != Activations::Save) runner_.setRecomputed(runner_.hasBackward());
}

int64_t MemoryControl::fixedBytes() const {
  const memory::SpaceBytes held = ledger_.held();
  return held[memory::Space::Static] + held[memory::Space::Trainable];
}

void MemoryControl::atFirstTurn() {
  if (measuredMicroBatch_ != 0) return;
  memory::IterationFigures figures = runner_.figures();
  const int64_t rowBytes = model_.config.hiddenSize * static_cast<int64_t>(sizeof(float));
  const int64_t gradientBytes = 2 * figures.tokens * rowBytes;
  // Backward was not measured yet. Its workspace is at most three times forward's: the gradient of every saved part, what is
  // computed again, and the gradient of that; and once more where forward runs again.
  for (size_t i = 0; i < figures.operators.size(); ++i) {
    memory::OperatorFigures& f = figures.operators[i];
    f.backwardPeakBytes = f.forwardPeakBytes + (runner_.recomputed()[i] ? 4 : 3) * f.workspaceBytes + gradientBytes;
    f.backwardSeconds = 2 * f.forwardSeconds;
  }
  // As if all targets were this rank's.
  const int64_t headBytes = memory::headWorkspaceBytes(model_.headShape(), {figures.tokens, figures.targets, 1}) +
                            memory::headWorkspaceBytes(model_.headShape(), {figures.tokens, figures.targets, communicator_.size()});
  figures.lossHead.forwardPeakBytes = ledger_.held().withoutDynamic() + headBytes;
  figures.boundaryPeakBytes = fixedBytes() + optimizerWorkspaceBytes(*model_.trainable);
  memory::reduceOverRanks(figures, communicator_);
  // A plan that does not fit is no error yet: nothing is kept then, and the measured plan will say what is missing.
  const Result<Choice> choice = planFor(figures);
  if (choice.ok()) model_.store->setKeeps(choice->plan.keeps);
}

Status MemoryControl::afterIteration() {
  const memory::IterationFigures& now = runner_.figures();
  const bool isFirst = measuredMicroBatch_ == 0;
  // figures.tokens is the largest of all ranks, so every rank decides the same.
  if (measuredMicroBatch_ == microBatch_ &&
      static_cast<double>(now.tokens) < kLarger * static_cast<double>(measured_.tokens))
    return {};
  measured_ = now;
  memory::reduceOverRanks(measured_, communicator_);
  if (isFirst) {
    for (const memory::OperatorFigures& f : measured_.operators) gatherSeconds_.push_back(f.gatherSeconds);
    boundaryPeakBytes_ = fixedBytes() + optimizerWorkspaceBytes(*model_.trainable);
  }
  for (size_t i = 0; i < gatherSeconds_.size(); ++i) measured_.operators[i].gatherSeconds = gatherSeconds_[i];
  const std::string reason = isFirst                                ? "first iteration measured"
                             : measuredMicroBatch_ != microBatch_ ? "micro-batch measured"
                                                                  : "larger batch measured";
  measuredMicroBatch_ = microBatch_;
  measuredRecomputed_ = runner_.recomputed();
  TIDEMARK_ASSIGN(const Choice choice, chooseForLargest(microBatch_));
  if (isFirst) announceOperators(choice.recomputed);
  return apply(choice, reason);
}

Status MemoryControl::afterFirstStep(int64_t boundaryPeakBytes) {
  at::Tensor peak = at::tensor({static_cast<double>(boundaryPeakBytes)}, at::kDouble);
  communicator_.max(peak);
  const auto measuredPeak = static_cast<int64_t>(peak.item<double>());
  bool mustPlan = measuredPeak > boundaryPeakBytes_;
  boundaryPeakBytes_ = measuredPeak;
  std::string reason = "optimizer step measured";

  std::optional<Choice> best;
  int64_t bestMicroBatch = microBatch_;
  if (settings_.microBatch == 0) {
    for (int64_t candidate = 1; candidate <= settings_.sequencesPerRank; ++candidate) {
      if (settings_.sequencesPerRank % candidate != 0) continue;
      if (candidate > 1 && batches_.largestBatchTokens(candidate) > kTokensForFullSpeed) break;
      Result<Choice> choice = chooseForLargest(candidate);
      if (!choice.ok()) break;  // more does not fit either
      // Larger batches make larger, faster products: among nearly equal predictions the larger wins.
      if (best && choice->tokensPerSecond < 0.98 * best->tokensPerSecond) continue;
      best = std::move(choice).value();
      bestMicroBatch = candidate;
    }
    if (bestMicroBatch != microBatch_) {
      reason = "micro-batch " + std::to_string(bestMicroBatch) + " predicted fastest";
      mustPlan = true;
    }
  }
  if (!mustPlan) return {};
  microBatch_ = bestMicroBatch;
  TIDEMARK_ASSIGN(const Choice choice, chooseForLargest(microBatch_));
  return apply(choice, reason);
}

memory::BatchRatio MemoryControl::largestBatch(int64_t microBatch) const {
  const int64_t tokens = std::max(measured_.tokens, batches_.largestBatchTokens(microBatch) - microBatch);
  const int64_t targets = std::max(measured_.targets, batches_.largestBatchTargets(microBatch) * communicator_.size());
  const int ranks = settings_.policy == memory::Policy::Unsharded ? 1 : communicator_.size();
  return memory::batchRatio(model_.headShape(), {measured_.tokens, measured_.targets, ranks}, {tokens, targets, ranks});
}

Result<MemoryControl::Choice> MemoryControl::chooseForLargest(int64_t microBatch) const {
  memory::IterationFigures figures = memory::scaled(measured_, largestBatch(microBatch), fixedBytes());
  figures.boundaryPeakBytes = boundaryPeakBytes_;
  // What the others ask of this rank's rows varies with the tokens; at worst all of them.
  const auto tokens = static_cast<double>(figures.tokens), ranks = static_cast<double>(communicator_.size());
  const auto rowBytes = static_cast<double>(model_.config.hiddenSize) * sizeof(float) + 3 * sizeof(int64_t);
  figures.embedding.forwardPeakBytes = std::max(figures.embedding.forwardPeakBytes,
                                                fixedBytes() + static_cast<int64_t>((ranks + 2) * tokens * rowBytes));
  return choose(figures, measuredRecomputed_);
}

Result<MemoryControl::Choice> MemoryControl::choose(const memory::IterationFigures& figures,
                                                    const memory::Recomputed& measured) const {
  const int64_t outputBytes = figures.tokens * model_.config.hiddenSize * static_cast<int64_t>(sizeof(float));
  std::optional<Choice> best;
  std::optional<Error> refusal;
  for (memory::Recomputed& recomputed : allowedRecomputed(settings_.activations, figures, runner_.hasBackward())) {
    Result<Choice> choice = planFor(memory::withRecomputed(figures, measured, recomputed, outputBytes));
    if (!choice.ok()) {
      if (choice.error().code != ErrorCode::OutOfMemory) return choice.error();
      refusal = choice.error();  // the last choice needs least
      continue;
    }
    if (best && choice->tokensPerSecond < kWorthRecomputing * best->tokensPerSecond) continue;
    best = std::move(choice).value();
    best->recomputed = std::move(recomputed);
  }
  if (!best) return *refusal;
  return std::move(*best);
}

Result<MemoryControl::Choice> MemoryControl::planFor(const memory::IterationFigures& figures) const {
  Choice choice;
  choice.figures = figures;
  const auto input = memory::makePlanInput(figures, *model_.store, runner_.hasBackward(), settings_.policy, settings_.budgetBytes);
  TIDEMARK_ASSIGN(choice.plan, memory::makePlan(input));
  TIDEMARK_TRY(memory::checkPlan(input, choice.plan));
  const double seconds = choice.plan.predictedSeconds + figures.embedding.forwardSeconds + figures.lossHead.forwardSeconds;
  choice.tokensPerSecond = static_cast<double>(figures.tokens) / seconds;
  return choice;
}

Status MemoryControl::apply(const Choice& choice, const std::string& reason) {
  std::string digest = memory::planDigest(choice.plan);
  for (const bool recomputed : choice.recomputed) digest += recomputed ? 'r' : 's';
  TIDEMARK_TRY(compareDigests(digest));
  model_.store->setKeeps(choice.plan.keeps);
  runner_.setRecomputed(choice.recomputed);
  runner_.setPrefetchDepth(choice.plan.prefetchDepth);
  const std::vector<bool> hasBackward = runner_.hasBackward();

  run::PlanEvent event;
  event.budgetBytes = settings_.budgetBytes;
  event.microBatch = microBatch_;
  event.accumulate = accumulate();
  event.predictedPeakBytes =
      memory::predictPeakBytes(choice.figures, *model_.store, hasBackward, choice.plan.prefetchDepth);
  event.predictedRemoteBytes = model_.store->remoteBytesPerIteration(hasBackward);
  event.optimalRemoteBytes = choice.plan.optimalRemoteBytes;
  // For batches as long as the measured one; the plan itself holds for the longest.
  event.predictedSeconds = static_cast<double>(measured_.tokens) / static_cast<double>(measuredMicroBatch_) *
                           static_cast<double>(microBatch_) / choice.tokensPerSecond;
  event.prefetchDepth = choice.plan.prefetchDepth;
  event.policy = policyName(settings_.policy);
  event.reason = reason;
  const auto again = std::count(choice.recomputed.begin(), choice.recomputed.end(), true);
  if (again > 0) event.reason += "; " + std::to_string(again) + " of " + std::to_string(choice.recomputed.size()) + " operators compute their activation again";
  for (size_t i = 0; i < model_.store->pieceCount(); ++i) {
    event.boundaryBytes.push_back(model_.store->keptBytes(i, memory::Interval::Boundary));
    event.turnBytes.push_back(model_.store->keptBytes(i, memory::Interval::Turn));
    event.pieceRemoteBytes.push_back(model_.store->remoteBytes(i));
  }
  events_.write(event);
  return {};
}

Status MemoryControl::compareDigests(const std::string& digest) {
  // Two halves of the hash and their negatives: the greatest over ranks equals the own value only if all are equal.
  const uint64_t hash = hashOf(digest);
  const double high = static_cast<double>(hash >> 32), low = static_cast<double>(hash & 0xffffffffu);
  at::Tensor values = at::tensor({high, low, -high, -low}, at::kDouble);
  communicator_.max(values);
  const double* v = values.const_data_ptr<double>();
  if (v[0] == high && v[1] == low && v[2] == -high && v[3] == -low) return {};
  return Error{ErrorCode::Internal, "memory plan", "the ranks computed different plans; please report this with the run's log files"};
}

void MemoryControl::announceOperators(const memory::Recomputed& recomputed) {
  const memory::IterationFigures shown = memory::withRecomputed(
      measured_, measuredRecomputed_, recomputed, measured_.tokens * model_.config.hiddenSize * static_cast<int64_t>(sizeof(float)));
  const auto announce = [&](int64_t index, const std::string& name, int64_t parameterBytes, int64_t remoteBytes,
                            const memory::OperatorFigures& f, bool isSaved) {
    run::OperatorEvent event;
    event.index = index;
    event.name = name;
    event.trend = f.activationBytes > 0 ? "rise" : "flat";
    event.parameterBytes = parameterBytes;
    event.remoteBytes = remoteBytes;
    event.activationBytes = f.activationBytes;
    event.workspaceBytes = f.workspaceBytes;
    event.forwardSeconds = f.forwardSeconds;
    event.backwardSeconds = f.wholeBackwardSeconds();
    event.gatherSeconds = f.gatherSeconds;
    event.isSaved = isSaved;
    events_.write(event);
  };
  const int64_t tableBytes = model_.config.vocabularySize * model_.config.hiddenSize * 4;
  announce(0, "embedding", tableBytes, 0, shown.embedding, true);
  for (size_t i = 0; i < model_.operators.size(); ++i)
    announce(static_cast<int64_t>(i) + 1, model_.operators[i]->name(), model_.store->pieceBytes(i),
             model_.store->remoteBytes(i), shown.operators[i], !recomputed[i]);
  announce(static_cast<int64_t>(model_.operators.size()) + 1, "loss_head", model_.config.hasTiedHead ? 0 : tableBytes, 0,
           shown.lossHead, true);
}

}  // namespace tidemark::train
