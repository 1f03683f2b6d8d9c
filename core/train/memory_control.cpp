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

MemoryControl::MemoryControl(Settings settings, model::Model& model, IterationRunner& runner, Batches& batches,
                             comm::Communicator& communicator, memory::Ledger& ledger, EventWriter& events)
    : settings_(settings), model_(model), runner_(runner), batches_(batches), communicator_(communicator), ledger_(ledger),
      events_(events), microBatch_(settings.microBatch > 0 ? settings.microBatch : 1) {
  // What is recomputed needs least memory and is measured all the same, so the first iteration fits wherever any does.
  if (settings_.activations != memory::Activations::Save) runner_.setRecomputed(runner_.hasBackward());
}

int64_t MemoryControl::fixedBytes() const {
  const memory::SpaceBytes held = ledger_.held();
  return held[memory::Space::Static] + held[memory::Space::Trainable];
}

void MemoryControl::atFirstTurn() {
  if (latest_.microBatch != 0) return;
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
  const Result<memory::MemoryChoice> choice = memory::planFor(figures, choiceInput(figures.tokens));
  if (choice.ok()) model_.store->setKeeps(choice->plan.keeps);
}

Status MemoryControl::afterIteration() {
  const memory::IterationFigures& now = runner_.figures();
  const bool isFirst = latest_.microBatch == 0;
  const bool isKnown = latest_.microBatch == microBatch_ && latest_.figures.breadth == breadth_;
  // figures.tokens is the largest of all ranks, so every rank decides the same.
  if (isKnown && static_cast<double>(now.tokens) < kLarger * static_cast<double>(latest_.figures.tokens)) return {};
  latest_ = {now, runner_.recomputed(), microBatch_};
  memory::reduceOverRanks(latest_.figures, communicator_);
  if (isFirst) {
    for (const memory::OperatorFigures& f : latest_.figures.operators) gatherSeconds_.push_back(f.gatherSeconds);
    boundaryPeakBytes_ = fixedBytes() + optimizerWorkspaceBytes(*model_.trainable);
    measureGatherCost();
  }
  for (size_t i = 0; i < gatherSeconds_.size(); ++i) latest_.figures.operators[i].gatherSeconds = gatherSeconds_[i];
  if (breadth_ == 1) single_ = latest_;
  const std::string reason = isFirst ? "first iteration measured" : !isKnown ? "micro-batches measured" : "larger batch measured";
  TIDEMARK_ASSIGN(const Choice choice, chooseForLargest(microBatch_, breadth_));
  if (isFirst) announceOperators(choice.recomputed);
  return apply(choice, reason);
}

// From the first iteration, in which nothing ran beside the gathers.
void MemoryControl::measureGatherCost() {
  double seconds = 0, bytes = 0;
  for (size_t i = 0; i < model_.store->pieceCount(); ++i) {
    seconds += model_.store->gatherProcessorSeconds(i);
    bytes += static_cast<double>(model_.store->remoteBytes(i));
  }
  at::Tensor cost = at::tensor({bytes > 0 ? seconds / bytes : 0.0}, at::kDouble);
  communicator_.max(cost);
  processorSecondsPerByte_ = cost.item<double>();
}

Status MemoryControl::afterFirstStep(int64_t boundaryPeakBytes) {
  at::Tensor peak = at::tensor({static_cast<double>(boundaryPeakBytes)}, at::kDouble);
  communicator_.max(peak);
  const auto measuredPeak = static_cast<int64_t>(peak.item<double>());
  const bool isHigher = measuredPeak > boundaryPeakBytes_;
  boundaryPeakBytes_ = measuredPeak;
  TIDEMARK_ASSIGN(const Choice choice, fastest());
  if (choice.microBatch == microBatch_ && choice.breadth == breadth_ && !isHigher) return {};
  std::string reason = "optimizer step measured";
  if (choice.microBatch != microBatch_) reason = "micro-batch " + std::to_string(choice.microBatch) + " predicted fastest";
  return apply(choice, reason);
}

Result<int64_t> MemoryControl::useBudget(int64_t budgetBytes, const std::string& reason) {
  constexpr double kMore = 1.05;
  if (latest_.microBatch == 0) return settings_.budgetBytes;
  const int64_t before = settings_.budgetBytes;
  settings_.budgetBytes = budgetBytes;
  Result<Choice> choice = fastest();
  while (!choice.ok() && choice.error().code == ErrorCode::OutOfMemory && settings_.budgetBytes < before) {
    settings_.budgetBytes = std::min(before, static_cast<int64_t>(kMore * static_cast<double>(settings_.budgetBytes)) + 1);
    choice = fastest();
  }
  if (!choice.ok()) return choice.error();
  if (settings_.budgetBytes == before) return before;
  TIDEMARK_TRY(apply(*choice, reason));
  ledger_.setBudget(settings_.budgetBytes);
  return settings_.budgetBytes;
}

std::string MemoryControl::whatWouldFit() const {
  if (single_.microBatch == 0) return "";
  for (int64_t smaller = microBatch_ - 1; smaller >= 1; --smaller) {
    if (settings_.sequencesPerRank % smaller != 0) continue;
    if (const Result<Choice> choice = chooseForLargest(smaller, 1); choice.ok())
      return "training.micro_batch_size: " + std::to_string(smaller) + " fits this budget";
  }
  constexpr int64_t kStep = 16 << 20;
  const int64_t planned = std::max(plannedPeakBytes_, settings_.budgetBytes);
  return "Set memory.budget to " + formatBytes((planned / kStep + 2) * kStep) + " or more, shorten dataset.max_seq_length, or use more ranks";
}

// Larger batches make larger, faster products: among nearly equal predictions the larger wins.
Result<MemoryControl::Choice> MemoryControl::fastest() const {
  if (settings_.microBatch > 0) return fastestBreadth(settings_.microBatch);
  std::optional<Choice> best;
  std::optional<Error> refusal;
  for (int64_t candidate = 1; candidate <= settings_.sequencesPerRank; ++candidate) {
    if (settings_.sequencesPerRank % candidate != 0) continue;
    if (best && candidate > 1 && batches_.largestBatch(candidate).tokens > kTokensForFullSpeed) break;
    Result<Choice> choice = fastestBreadth(candidate);
    if (!choice.ok()) {
      if (choice.error().code != ErrorCode::OutOfMemory) return choice.error();
      refusal = choice.error();
      break;  // more does not fit either
    }
    if (best && choice->tokensPerSecond() < 0.98 * best->tokensPerSecond()) continue;
    best = std::move(choice).value();
  }
  if (!best) return *refusal;
  return std::move(*best);
}

Result<MemoryControl::Choice> MemoryControl::fastestBreadth(int64_t microBatch) const {
  return memory::fastestBreadth(settings_.accumulation, settings_.sequencesPerRank / microBatch,
                                [&](int64_t breadth) { return chooseForLargest(microBatch, breadth); });
}

memory::BatchRatio MemoryControl::largestBatch(const memory::IterationFigures& measured, int64_t microBatch) const {
  const Batches::Largest& largest = batches_.largestBatch(microBatch);
  const int64_t tokens = std::max(measured.tokens, largest.tokens);
  const int64_t targets = std::max(measured.targets, largest.targets * communicator_.size());
  const int ranks = settings_.policy == memory::Policy::Unsharded ? 1 : communicator_.size();
  return memory::batchRatio(model_.headShape(), {measured.tokens, measured.targets, ranks}, {tokens, targets, ranks});
}

Result<MemoryControl::Choice> MemoryControl::chooseForLargest(int64_t microBatch, int64_t breadth) const {
  const Measurement& measured = latest_.figures.breadth == breadth ? latest_ : single_;
  memory::IterationFigures figures = memory::scaled(measured.figures, largestBatch(measured.figures, microBatch), fixedBytes());
  figures.boundaryPeakBytes = boundaryPeakBytes_;
  // What the others ask of this rank's rows varies with the tokens; at worst all of them.
  const auto tokens = static_cast<double>(figures.tokens), ranks = static_cast<double>(communicator_.size());
  const auto rowBytes = static_cast<double>(model_.config.hiddenSize) * sizeof(float) + 3 * sizeof(int64_t);
  figures.embedding.forwardPeakBytes = std::max(figures.embedding.forwardPeakBytes,
                                                fixedBytes() + static_cast<int64_t>((ranks + 2) * tokens * rowBytes));
  if (figures.breadth != breadth) {
    const int64_t perToken = 5 * static_cast<int64_t>(sizeof(int64_t)) + model_.config.headSize * static_cast<int64_t>(sizeof(float));
    figures = memory::withBreadth(std::move(figures), breadth, runner_.hasBackward(),
                                  {outputBytes(figures.tokens), figures.tokens * perToken});
  }
  TIDEMARK_ASSIGN(memory::MemoryChoice choice, memory::chooseMemory(figures, measured.recomputed, choiceInput(figures.tokens)));
  return Choice{std::move(choice), microBatch, breadth};
}

int64_t MemoryControl::outputBytes(int64_t tokens) const {
  return tokens * model_.config.hiddenSize * static_cast<int64_t>(sizeof(float));
}

memory::ChoiceInput MemoryControl::choiceInput(int64_t tokens) const {
  return {memory::piecesOf(*model_.store, runner_.hasBackward()), settings_.policy, settings_.budgetBytes, outputBytes(tokens),
          settings_.activations, settings_.processors, processorSecondsPerByte_};
}

Status MemoryControl::apply(const Choice& choice, const std::string& reason) {
  std::string digest = memory::planDigest(choice.plan) + " micro-batch " + std::to_string(choice.microBatch) + " breadth " + std::to_string(choice.breadth);
  for (const bool recomputed : choice.recomputed) digest += recomputed ? 'r' : 's';
  TIDEMARK_TRY(compareDigests(digest));
  microBatch_ = choice.microBatch;
  breadth_ = choice.breadth;
  model_.store->setKeeps(choice.plan.keeps);
  runner_.setRecomputed(choice.recomputed);
  runner_.setPrefetchDepth(choice.plan.prefetchDepth);
  const run::PlanEvent event = describe(choice, reason);
  plannedPeakBytes_ = event.predictedPeakBytes;
  events_.write(event);
  return {};
}

run::PlanEvent MemoryControl::describe(const Choice& choice, const std::string& reason) const {
  const memory::PieceFacts pieces = memory::piecesOf(*model_.store, runner_.hasBackward());
  run::PlanEvent event;
  event.budgetBytes = settings_.budgetBytes;
  event.microBatch = microBatch_;
  event.accumulate = accumulate();
  event.breadth = breadth_;
  event.predictedPeakBytes =
      memory::predictPeak(choice.figures, pieces, memory::keepsOf(*model_.store), choice.plan.prefetchDepth).bytes;
  event.predictedRemoteBytes = model_.store->remoteBytesPerIteration(pieces.hasBackward);
  event.optimalRemoteBytes = choice.plan.optimalRemoteBytes;
  // For batches as long as the measured ones; the plan itself holds for the longest.
  const double measuredTokens = static_cast<double>(latest_.figures.tokens) / static_cast<double>(latest_.microBatch) *
                                static_cast<double>(microBatch_ * breadth_);
  event.predictedSeconds = measuredTokens / choice.tokensPerSecond();
  event.prefetchDepth = choice.plan.prefetchDepth;
  event.policy = policyName(settings_.policy);
  event.reason = reason;
  const auto again = std::count(choice.recomputed.begin(), choice.recomputed.end(), true);
  if (again > 0) event.reason += "; " + std::to_string(again) + " of " + std::to_string(choice.recomputed.size()) + " operators compute their activation again";
  if (breadth_ > 1) event.reason += "; " + std::to_string(breadth_) + " micro-batches pass each operator together";
  for (size_t i = 0; i < model_.store->pieceCount(); ++i) {
    event.boundaryBytes.push_back(model_.store->keptBytes(i, memory::Interval::Boundary));
    event.turnBytes.push_back(model_.store->keptBytes(i, memory::Interval::Turn));
    event.pieceRemoteBytes.push_back(model_.store->remoteBytes(i));
  }
  return event;
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
  const memory::IterationFigures shown =
      memory::withRecomputed(latest_.figures, latest_.recomputed, recomputed, outputBytes(latest_.figures.tokens));
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
