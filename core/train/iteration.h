// Runs iterations: the schedule of acquire, run, keep or drop, release over the operators, forward and backward, and the
// measuring of each of them. It executes the keeps and the prefetch depth that it was given.
//
// Note: breadth. An iteration may carry several micro-batches: all of them pass an operator before the next one runs
// (breadth-first accumulation, Lamy-Poirier 2022), so that its weights are gathered twice an iteration however many they
// are. What is saved for backward is held for all of them, workspace for one at a time. The sums of gradients run over
// the same terms in the same order as with one micro-batch after the other: the numbers are equal to the last bit.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "core/comm/communicator.h"
#include "core/memory/ledger.h"
#include "core/memory/profile.h"
#include "core/model/llama.h"
#include "core/run/event.h"

namespace tidemark::train {

class IterationRunner {
 public:
  IterationRunner(model::Model& model, memory::Ledger& ledger);

  void setPrefetchDepth(int depth) { prefetchDepth_ = depth; }
  // Which operators compute their activation again in backward. See Note: recomputing in core/memory/figures.h.
  void setRecomputed(memory::Recomputed recomputed) { recomputed_ = std::move(recomputed); }
  const memory::Recomputed& recomputed() const { return recomputed_; }
  // Called in every training iteration between forward and backward: what forward measured is known then.
  void setTurnHook(std::function<void()> hook) { turnHook_ = std::move(hook); }
  // Whether operator i runs backward: those from the lowest adapter on.
  std::vector<bool> hasBackward() const;

  struct Outcome {
    double lossSum = 0;        // over this rank's targets
    int64_t targets = 0;
  };
  // A micro-batch and the seed of its dropout (0: none).
  struct MicroBatch {
    model::Batch batch;
    uint64_t dropoutSeed = 0;
  };
  // One training iteration over all of `microBatches` (Note: breadth): adds `lossScale` times the gradient of the loss sum
  // to the trainable state's gradients.
  Outcome train(std::span<const MicroBatch> microBatches, double lossScale);
  Outcome train(const model::Batch& batch, double lossScale, uint64_t dropoutSeed);
  // Forward only, all batches through an operator before the next; the gradient-free loss of each.
  std::vector<Outcome> evaluate(std::span<const MicroBatch> microBatches);
  Outcome evaluate(const model::Batch& batch);
  // Normalised hidden states [n, H] of every token, forward only.
  at::Tensor hiddenStates(const model::Batch& batch);

  // Of the last training iteration. boundaryPeakBytes is the caller's to measure.
  const memory::IterationFigures& figures() const { return figures_; }
  const std::vector<run::MemoryPoint>& timeline() const { return timeline_; }

 private:
  enum class Direction { Forward, Backward };
  enum class Keep { Nothing, ForBackward };
  // A micro-batch on its way through the operators.
  struct Flow {
    const MicroBatch* of = nullptr;
    model::Rotary::Angles angles;
    at::Tensor x;  // [n, H]: the latest output; in backward its gradient
    // One per operator: its activation, or the input [n, H] from which to compute it again.
    std::vector<std::unique_ptr<model::SavedActivation>> activations;
    std::vector<at::Tensor> inputs;
    model::IterationContext context(size_t index) const;
    memory::WindowLabel label(const std::string& name, const char* phase) const;
  };
  std::vector<Flow> begin(std::span<const MicroBatch> microBatches) const;
  void forward(std::vector<Flow>& flows, Keep keep);
  void forwardOperator(size_t index, std::vector<Flow>& flows, Keep keep);
  double turn(std::vector<Flow>& flows, double lossScale);  // the loss sum
  void backwardOperator(size_t index, std::vector<Flow>& flows);
  at::Tensor normalised(const at::Tensor& x) const;
  void prefetchFrom(int64_t piece, Direction direction);
  void addPoint(int64_t operatorIndex, Direction direction, int64_t workspaceBytes, const char* growReason,
                const char* shrinkReason);

  model::Model& model_;
  memory::Ledger& ledger_;
  int prefetchDepth_ = 0;
  memory::Recomputed recomputed_;
  std::function<void()> turnHook_;
  memory::IterationFigures figures_;
  std::vector<run::MemoryPoint> timeline_;
};

}  // namespace tidemark::train
