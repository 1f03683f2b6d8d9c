#include "core/train/iteration.h"

#include <ATen/Functions.h>

#include <algorithm>
#include <chrono>

#include "core/comm/stream.h"
#include "core/model/rms_norm.h"

namespace tidemark::train {
namespace {

using Clock = std::chrono::steady_clock;

const std::string kEmbedding = "embedding", kLossHead = "loss head";

// Times an operator by what its device has done, not by what it was asked to do.
class Stopwatch {
 public:
  explicit Stopwatch(c10::Device device) : device_(device) {}
  double seconds() const {
    comm::synchroniseStream(device_);
    return std::chrono::duration<double>(Clock::now() - start_).count();
  }

 private:
  c10::Device device_;
  Clock::time_point start_ = Clock::now();
};

// A different seed for every operator's dropout; 0 stays 0 (no dropout). Constants: splitmix64 (Steele et al. 2014).
uint64_t operatorSeed(uint64_t seed, size_t index) {
  if (seed == 0) return 0;
  uint64_t z = seed + 0x9e3779b97f4a7c15ull * (2 * index + 1);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return (z ^ (z >> 31)) | 1;
}

// Of one micro-batch more. Peaks are the highest of any, what is kept and the time are sums.
void addForward(memory::OperatorFigures& figures, const memory::Ledger::Window& window, double seconds) {
  figures.activationBytes += window.keptBytes;
  figures.workspaceBytes = std::max(figures.workspaceBytes, window.peakWorkspaceBytes);
  figures.forwardPeakBytes = std::max(figures.forwardPeakBytes, window.peakWithoutDynamicBytes);
  figures.forwardSeconds += seconds;
}

}  // namespace

IterationRunner::IterationRunner(model::Model& model, memory::Ledger& ledger) : model_(model), ledger_(ledger), recomputed_(model.operators.size(), false) {}

std::vector<bool> IterationRunner::hasBackward() const {
  std::vector<bool> result(model_.operators.size());
  for (size_t i = 0; i < result.size(); ++i) result[i] = i >= model_.lowestAdapter();
  return result;
}

void IterationRunner::prefetchFrom(int64_t piece, Direction direction) {
  const auto count = static_cast<int64_t>(model_.operators.size());
  const int64_t step = direction == Direction::Forward ? 1 : -1;
  const int64_t lowest = direction == Direction::Forward ? 0 : static_cast<int64_t>(model_.lowestAdapter());
  for (int64_t ahead = 0; ahead <= prefetchDepth_; ++ahead) {
    const int64_t next = piece + step * ahead;
    if (next >= lowest && next < count) model_.store->prefetch(static_cast<size_t>(next));
  }
}

void IterationRunner::addPoint(int64_t operatorIndex, Direction direction, int64_t workspaceBytes,
                               const char* growReason, const char* shrinkReason) {
  const memory::SpaceBytes held = ledger_.held();
  run::MemoryPoint point;
  point.operatorIndex = operatorIndex;
  point.isForward = direction == Direction::Forward;
  point.activation = held[memory::Space::Activation];
  point.staticCache = held[memory::Space::Static];
  point.dynamicCache = held[memory::Space::Dynamic];
  point.workspace = workspaceBytes;
  point.trainable = held[memory::Space::Trainable];
  if (!timeline_.empty()) point.resize = point.dynamicCache - timeline_.back().dynamicCache;
  if (point.resize > 0) point.reason = growReason;
  if (point.resize < 0) point.reason = shrinkReason;
  timeline_.push_back(point);
}

memory::WindowLabel IterationRunner::Flow::label(const std::string& name, const char* phase) const {
  return {&name, phase, of->batch.tokenCount(), static_cast<int64_t>(of->batch.segmentLengths.size())};
}

model::IterationContext IterationRunner::Flow::context(size_t index) const {
  return {of->batch, angles, operatorSeed(of->dropoutSeed, index)};
}

std::vector<IterationRunner::Flow> IterationRunner::begin(std::span<const MicroBatch> microBatches) const {
  std::vector<Flow> flows;
  for (const MicroBatch& microBatch : microBatches) {
    Flow flow;
    flow.of = &microBatch;
    flow.angles = model_.rotary->angles(microBatch.batch.positions);
    flow.activations.resize(model_.operators.size());
    flow.inputs.resize(model_.operators.size());
    flows.push_back(std::move(flow));
  }
  return flows;
}

void IterationRunner::forward(std::vector<Flow>& flows, Keep keep) {
  const bool isTraining = keep == Keep::ForBackward;
  prefetchFrom(0, Direction::Forward);
  for (Flow& flow : flows) {
    ledger_.beginWindow(flow.label(kEmbedding, "forward"));
    const Stopwatch watch(model_.finalNorm.device());
    flow.x = model_.vocabulary->embed(flow.of->batch);
    const auto window = isTraining ? ledger_.settleWindow() : ledger_.endWindow();
    if (isTraining) addForward(figures_.embedding, window, watch.seconds());
  }
  if (isTraining) addPoint(0, Direction::Forward, figures_.embedding.workspaceBytes, "gathered for use", "dropped");
  for (size_t i = 0; i < model_.operators.size(); ++i) forwardOperator(i, flows, keep);
}

void IterationRunner::forwardOperator(size_t index, std::vector<Flow>& flows, Keep keep) {
  const bool isTraining = keep == Keep::ForBackward, keeps = isTraining && index >= model_.lowestAdapter();
  const bool saves = keeps && !recomputed_[index];
  prefetchFrom(static_cast<int64_t>(index), Direction::Forward);
  const memory::PieceWeights& weights = model_.store->acquire(index);
  memory::OperatorFigures figures;
  for (Flow& flow : flows) {
    ledger_.beginWindow(flow.label(model_.operators[index]->name(), "forward"));
    const Stopwatch watch(model_.finalNorm.device());
    if (keeps && !saves) flow.inputs[index] = flow.x;
    flow.x = model_.operators[index]->forward(flow.x, weights, flow.context(index), saves ? &flow.activations[index] : nullptr);
    const double seconds = watch.seconds();
    const auto window = keeps ? ledger_.settleWindow() : ledger_.endWindow();
    addForward(figures, window, seconds);
    if (saves) figures.savedBytes += window.keptBytes - static_cast<int64_t>(flow.x.nbytes());
  }
  // Evaluation keeps nothing that training's plan does not hold at that moment, unless everything is held always.
  const auto keptWithoutBackward =
      isTraining || model_.store->remoteBytesPerIteration(hasBackward()) == 0 ? memory::Interval::Boundary : memory::Interval::None;
  model_.store->release(index, keeps ? memory::Interval::Turn : keptWithoutBackward);
  if (!isTraining) return;
  figures.gatherSeconds = model_.store->gatherSeconds(index);
  figures_.operators[index] = figures;
  addPoint(static_cast<int64_t>(index) + 1, Direction::Forward, figures.workspaceBytes, "gathered for use",
           "dropped after use: its room becomes activations");
}

// Final norm, loss, and the gradient of the last operator's output.
double IterationRunner::turn(std::vector<Flow>& flows, double lossScale) {
  double lossSum = 0;
  for (Flow& flow : flows) {
    const model::Batch& batch = flow.of->batch;
    ledger_.beginWindow(flow.label(kLossHead, "forward and backward"));
    const Stopwatch watch(model_.finalNorm.device());
    at::Tensor dx = at::zeros_like(flow.x);
    const at::Tensor rows = flow.x.index_select(0, batch.targetRows);  // [m, H]
    flow.x.reset();
    const at::Tensor inverse = model::inverseRms(rows, model_.config.normEpsilon);
    model::Vocabulary::Loss loss = model_.vocabulary->loss(model::rmsNorm(rows, inverse, model_.finalNorm), batch, lossScale,
                                                           model::Vocabulary::Want::Gradient);
    dx.index_copy_(0, batch.targetRows, model::rmsNormBackward(std::move(loss.gradient), rows, inverse, model_.finalNorm));
    flow.x = std::move(dx);
    lossSum += loss.sum;
    addForward(figures_.lossHead, ledger_.endWindow(), watch.seconds());
  }
  addPoint(static_cast<int64_t>(model_.operators.size()) + 1, Direction::Forward, figures_.lossHead.workspaceBytes,
           "gathered ahead of backward", "dropped");
  return lossSum;
}

void IterationRunner::backwardOperator(size_t index, std::vector<Flow>& flows) {
  prefetchFrom(static_cast<int64_t>(index), Direction::Backward);
  const memory::PieceWeights& weights = model_.store->acquire(index);
  const auto wanted = index == model_.lowestAdapter() ? model::InputGradient::NotNeeded : model::InputGradient::Needed;
  memory::OperatorFigures& f = figures_.operators[index];
  int64_t workspaceBytes = 0;
  for (Flow& flow : flows) {
    const model::IterationContext context = flow.context(index);
    if (recomputed_[index]) {
      ledger_.beginWindow(flow.label(model_.operators[index]->name(), "forward again"));
      const Stopwatch watch(model_.finalNorm.device());
      model_.operators[index]->forward(flow.inputs[index], weights, context, &flow.activations[index]);
      f.recomputeSeconds += watch.seconds();
      flow.inputs[index].reset();
      const auto again = ledger_.settleWindow();
      f.savedBytes += again.keptBytes;
      f.recomputePeakBytes = std::max(f.recomputePeakBytes, again.peakWithoutDynamicBytes);
    }
    ledger_.beginWindow(flow.label(model_.operators[index]->name(), "backward"));
    const Stopwatch watch(model_.finalNorm.device());
    flow.x = model_.operators[index]->backward(std::move(flow.x), *flow.activations[index], weights, context, wanted);
    flow.activations[index].reset();
    f.backwardSeconds += watch.seconds();
    const auto window = ledger_.endWindow();
    f.backwardPeakBytes = std::max(f.backwardPeakBytes, window.peakWithoutDynamicBytes);
    workspaceBytes = std::max(workspaceBytes, window.peakWorkspaceBytes);
  }
  model_.store->release(index, memory::Interval::Boundary);
  f.workspaceBytes = std::max(f.workspaceBytes, workspaceBytes);
  f.gatherSeconds = std::max(f.gatherSeconds, model_.store->gatherSeconds(index));
  addPoint(static_cast<int64_t>(index) + 1, Direction::Backward, workspaceBytes, "grown into the room of freed activations",
           "dropped after use: not needed again soon");
}

IterationRunner::Outcome IterationRunner::train(std::span<const MicroBatch> microBatches, double lossScale) {
  figures_ = {};
  figures_.breadth = static_cast<int64_t>(microBatches.size());
  Outcome outcome;
  for (const MicroBatch& microBatch : microBatches) {
    int64_t targets = 0;
    for (const auto& ids : microBatch.batch.idsOfRank) figures_.tokens = std::max(figures_.tokens, static_cast<int64_t>(ids.size()));
    for (const int64_t count : microBatch.batch.targetCountOfRank) targets += count;
    figures_.targets = std::max(figures_.targets, targets);
    outcome.targets += microBatch.batch.targets.size(0);
  }
  figures_.operators.assign(model_.operators.size(), {});
  timeline_.clear();
  std::vector<Flow> flows = begin(microBatches);
  forward(flows, Keep::ForBackward);
  if (turnHook_) turnHook_();
  prefetchFrom(static_cast<int64_t>(model_.operators.size()) - 1, Direction::Backward);
  outcome.lossSum = turn(flows, lossScale);
  for (size_t i = model_.operators.size(); i-- > model_.lowestAdapter();) backwardOperator(i, flows);
  return outcome;
}

IterationRunner::Outcome IterationRunner::train(const model::Batch& batch, double lossScale, uint64_t dropoutSeed) {
  const MicroBatch microBatch{batch, dropoutSeed};
  return train({&microBatch, 1}, lossScale);
}

at::Tensor IterationRunner::normalised(const at::Tensor& x) const {
  return model::rmsNorm(x, model::inverseRms(x, model_.config.normEpsilon), model_.finalNorm);
}

at::Tensor IterationRunner::hiddenStates(const model::Batch& batch) {
  if (model_.store->remoteBytesPerIteration(hasBackward()) > 0) model_.store->dropRemote();
  const MicroBatch microBatch{batch, 0};
  std::vector<Flow> flows = begin({&microBatch, 1});
  forward(flows, Keep::Nothing);
  return normalised(flows[0].x);
}

std::vector<IterationRunner::Outcome> IterationRunner::evaluate(std::span<const MicroBatch> microBatches) {
  if (model_.store->remoteBytesPerIteration(hasBackward()) > 0) model_.store->dropRemote();
  std::vector<Flow> flows = begin(microBatches);
  forward(flows, Keep::Nothing);
  std::vector<Outcome> outcomes;
  for (Flow& flow : flows) {
    const model::Batch& batch = flow.of->batch;
    const at::Tensor hidden = normalised(flow.x.index_select(0, batch.targetRows));
    flow.x.reset();
    outcomes.push_back({model_.vocabulary->loss(hidden, batch, 0, model::Vocabulary::Want::LossOnly).sum, batch.targets.size(0)});
  }
  return outcomes;
}

IterationRunner::Outcome IterationRunner::evaluate(const model::Batch& batch) {
  const MicroBatch microBatch{batch, 0};
  return evaluate({&microBatch, 1}).front();
}

}  // namespace tidemark::train
