#include "core/train/iteration.h"

#include <ATen/Functions.h>

#include <algorithm>
#include <chrono>

#include "core/comm/stream.h"
#include "core/model/rms_norm.h"

namespace tidemark::train {
namespace {

using Clock = std::chrono::steady_clock;

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

at::Tensor IterationRunner::forward(const model::Batch& batch, const model::Rotary::Angles& angles, uint64_t dropoutSeed,
                                    Saved* saved) {
  const size_t count = model_.operators.size();
  prefetchFrom(0, Direction::Forward);
  at::Tensor x;
  {
    ledger_.beginWindow();
    const Stopwatch watch(model_.finalNorm.device());
    x = model_.vocabulary->embed(batch);
    const auto window = saved ? ledger_.settleWindow() : ledger_.endWindow();
    if (saved) {
      figures_.embedding = {window.keptBytes, window.peakWorkspaceBytes, window.peakWithoutDynamicBytes, 0, watch.seconds(), 0, 0};
      addPoint(0, Direction::Forward, window.peakWorkspaceBytes, "gathered for use", "dropped");
    }
  }
  const size_t lowest = model_.lowestAdapter();
  // Evaluation keeps nothing that training's plan does not hold at that moment, unless everything is held always.
  const auto keptWithoutBackward =
      saved || model_.store->remoteBytesPerIteration(hasBackward()) == 0 ? memory::Interval::Boundary : memory::Interval::None;
  for (size_t i = 0; i < count; ++i) {
    prefetchFrom(static_cast<int64_t>(i), Direction::Forward);
    const memory::PieceWeights& weights = model_.store->acquire(i);
    const model::IterationContext context{batch, angles, operatorSeed(dropoutSeed, i)};
    ledger_.beginWindow();
    const Stopwatch watch(model_.finalNorm.device());
    const bool keeps = saved && i >= lowest;
    if (keeps && recomputed_[i]) saved->inputs[i] = x;
    x = model_.operators[i]->forward(x, weights, context, keeps && !recomputed_[i] ? &saved->activations[i] : nullptr);
    const double seconds = watch.seconds();
    const auto window = keeps ? ledger_.settleWindow() : ledger_.endWindow();
    model_.store->release(i, keeps ? memory::Interval::Turn : keptWithoutBackward);
    if (!saved) continue;
    memory::OperatorFigures& f = figures_.operators[i];
    f = {window.keptBytes, window.peakWorkspaceBytes, window.peakWithoutDynamicBytes, 0, seconds, 0, model_.store->gatherSeconds(i)};
    if (keeps && !recomputed_[i]) f.savedBytes = window.keptBytes - static_cast<int64_t>(x.nbytes());
    addPoint(static_cast<int64_t>(i) + 1, Direction::Forward, window.peakWorkspaceBytes, "gathered for use",
             "dropped after use: its room becomes activations");
  }
  return x;
}

IterationRunner::Outcome IterationRunner::train(const model::Batch& batch, double lossScale, uint64_t dropoutSeed) {
  const size_t count = model_.operators.size(), lowest = model_.lowestAdapter();
  figures_ = {};
  for (const auto& ids : batch.idsOfRank) figures_.tokens = std::max(figures_.tokens, static_cast<int64_t>(ids.size()));
  for (const int64_t targets : batch.targetCountOfRank) figures_.targets += targets;
  figures_.operators.assign(count, {});
  timeline_.clear();
  const model::Rotary::Angles angles = model_.rotary->angles(batch.positions);
  Saved saved;
  saved.activations.resize(count);
  saved.inputs.resize(count);
  at::Tensor x = forward(batch, angles, dropoutSeed, &saved);

  // The turn: final norm, loss, and the gradient of the last operator's output.
  if (turnHook_) turnHook_();
  const int64_t last = static_cast<int64_t>(count) - 1;
  prefetchFrom(last, Direction::Backward);
  ledger_.beginWindow();
  const Stopwatch headWatch(model_.finalNorm.device());
  at::Tensor dx = at::zeros_like(x);
  model::Vocabulary::Loss loss;
  {
    const at::Tensor rows = x.index_select(0, batch.targetRows);  // [m, H]
    x.reset();
    const at::Tensor inverse = model::inverseRms(rows, model_.config.normEpsilon);
    loss = model_.vocabulary->loss(model::rmsNorm(rows, inverse, model_.finalNorm), batch, lossScale,
                                   model::Vocabulary::Want::Gradient);
    dx.index_copy_(0, batch.targetRows, model::rmsNormBackward(std::move(loss.gradient), rows, inverse, model_.finalNorm));
  }
  const auto headWindow = ledger_.endWindow();
  figures_.lossHead = {0, headWindow.peakWorkspaceBytes, headWindow.peakWithoutDynamicBytes, 0, headWatch.seconds(), 0, 0};
  addPoint(static_cast<int64_t>(count) + 1, Direction::Forward, headWindow.peakWorkspaceBytes, "gathered ahead of backward", "dropped");

  for (int64_t i = last; i >= static_cast<int64_t>(lowest); --i) {
    const auto index = static_cast<size_t>(i);
    prefetchFrom(i, Direction::Backward);
    const memory::PieceWeights& weights = model_.store->acquire(index);
    const model::IterationContext context{batch, angles, operatorSeed(dropoutSeed, index)};
    memory::OperatorFigures& f = figures_.operators[index];
    if (recomputed_[index]) {
      ledger_.beginWindow();
      const Stopwatch watch(model_.finalNorm.device());
      model_.operators[index]->forward(saved.inputs[index], weights, context, &saved.activations[index]);
      f.recomputeSeconds = watch.seconds();
      saved.inputs[index].reset();
      const auto again = ledger_.settleWindow();
      f.savedBytes = again.keptBytes;
      f.recomputePeakBytes = again.peakWithoutDynamicBytes;
    }
    ledger_.beginWindow();
    const Stopwatch watch(model_.finalNorm.device());
    const auto wanted = index == lowest ? model::InputGradient::NotNeeded : model::InputGradient::Needed;
    dx = model_.operators[index]->backward(std::move(dx), *saved.activations[index], weights, context, wanted);
    saved.activations[index].reset();
    const double seconds = watch.seconds();
    const auto window = ledger_.endWindow();
    model_.store->release(index, memory::Interval::Boundary);
    f.backwardSeconds = seconds;
    f.backwardPeakBytes = window.peakWithoutDynamicBytes;
    f.workspaceBytes = std::max(f.workspaceBytes, window.peakWorkspaceBytes);
    f.gatherSeconds = std::max(f.gatherSeconds, model_.store->gatherSeconds(index));
    addPoint(i + 1, Direction::Backward, window.peakWorkspaceBytes, "grown into the room of freed activations",
             "dropped after use: not needed again soon");
  }
  return {loss.sum, batch.targets.size(0)};
}

at::Tensor IterationRunner::hiddenStates(const model::Batch& batch) {
  if (model_.store->remoteBytesPerIteration(hasBackward()) > 0) model_.store->dropRemote();
  const at::Tensor x = forward(batch, model_.rotary->angles(batch.positions), 0, nullptr);
  return model::rmsNorm(x, model::inverseRms(x, model_.config.normEpsilon), model_.finalNorm);
}

IterationRunner::Outcome IterationRunner::evaluate(const model::Batch& batch) {
  const at::Tensor hidden = hiddenStates(batch).index_select(0, batch.targetRows);
  const auto loss = model_.vocabulary->loss(hidden, batch, 0, model::Vocabulary::Want::LossOnly);
  return {loss.sum, batch.targets.size(0)};
}

}  // namespace tidemark::train
