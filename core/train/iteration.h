// Runs iterations: the schedule of acquire, run, keep or drop, release over the operators, forward and backward, and the
// measuring of each of them. It executes the keeps and the prefetch depth that it was given.
#pragma once

#include <functional>
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
  // Which operators compute their activation again in backward. See Note: recomputing in core/memory/profile.h.
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
  // One training iteration: adds `lossScale` times the gradient of the loss sum to the trainable state's gradients.
  Outcome train(const model::Batch& batch, double lossScale, uint64_t dropoutSeed);
  // Forward only; the gradient-free loss.
  Outcome evaluate(const model::Batch& batch);
  // Normalised hidden states [n, H] of every token, forward only.
  at::Tensor hiddenStates(const model::Batch& batch);

  // Of the last training iteration. boundaryPeakBytes is the caller's to measure.
  const memory::IterationFigures& figures() const { return figures_; }
  const std::vector<run::MemoryPoint>& timeline() const { return timeline_; }

 private:
  enum class Direction { Forward, Backward };
  struct Saved {  // one per operator: its activation, or the input [n, H] from which to compute it again
    std::vector<std::unique_ptr<model::SavedActivation>> activations;
    std::vector<at::Tensor> inputs;
  };
  at::Tensor forward(const model::Batch& batch, const model::Rotary::Angles& angles, uint64_t dropoutSeed, Saved* saved);
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
