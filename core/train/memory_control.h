// Turns what iterations measured into a plan and the micro-batch, applies both, and announces them. The same on every
// rank: it works on rank-reduced figures and compares the plan's digest before using it.
#pragma once

#include <string>

#include "core/comm/communicator.h"
#include "core/memory/ledger.h"
#include "core/memory/plan.h"
#include "core/model/llama.h"
#include "core/train/batches.h"
#include "core/train/event_writer.h"
#include "core/train/iteration.h"

namespace tidemark::train {

enum class Activations { Auto, Save, Recompute };
Activations activationsFrom(const std::string& name);  // of memory.activations
// The choices of what to compute again, from least to most.
std::vector<memory::Recomputed> allowedRecomputed(Activations activations, const memory::IterationFigures& figures,
                                                  const std::vector<bool>& hasBackward);
// Faster by this much is worth computing again; smaller differences lie within what is foretold.
inline constexpr double kWorthRecomputing = 1.02;

class MemoryControl {
 public:
  struct Settings {
    memory::Policy policy = memory::Policy::Elastic;
    int64_t budgetBytes = 0;        // resolved; the ledger holds it
    int64_t sequencesPerRank = 1;   // per step
    int64_t microBatch = 0;         // 0: chosen here
    Activations activations = Activations::Auto;
  };
  MemoryControl(Settings settings, model::Model& model, IterationRunner& runner, Batches& batches,
                comm::Communicator& communicator, memory::Ledger& ledger, EventWriter& events);

  int64_t microBatch() const { return microBatch_; }
  int64_t accumulate() const { return settings_.sequencesPerRank / microBatch_; }

  // At the turn of the first iteration: a cautious plan from what forward measured, so that its backward already keeps
  // what it gathers.
  void atFirstTurn();
  // After each iteration: announces the operators once; measures and plans when this micro-batch was not measured yet, or
  // when a batch was clearly larger than the measured one.
  Status afterIteration();
  // After the first optimizer step: takes the measured boundary into account and chooses the micro-batch.
  Status afterFirstStep(int64_t boundaryPeakBytes);

 private:
  struct Choice {
    memory::IterationFigures figures;  // of the largest batch
    memory::Plan plan;
    memory::Recomputed recomputed;
    double tokensPerSecond = 0;        // of this rank, for that batch
  };
  // The largest batch that `microBatch` sequences can make, relative to the measured one.
  memory::BatchRatio largestBatch(int64_t microBatch) const;
  // `measured`: what was computed again when the figures were measured.
  Result<Choice> choose(const memory::IterationFigures& figures, const memory::Recomputed& measured) const;
  Result<Choice> planFor(const memory::IterationFigures& figures) const;
  Result<Choice> chooseForLargest(int64_t microBatch) const;
  Status apply(const Choice& choice, const std::string& reason);
  void announceOperators(const memory::Recomputed& recomputed);
  Status compareDigests(const std::string& digest);
  int64_t fixedBytes() const;

  Settings settings_;
  model::Model& model_;
  IterationRunner& runner_;
  Batches& batches_;
  comm::Communicator& communicator_;
  memory::Ledger& ledger_;
  EventWriter& events_;
  int64_t microBatch_;
  int64_t measuredMicroBatch_ = 0;     // what measured_ was measured with; 0: nothing yet
  memory::IterationFigures measured_;  // greatest over ranks
  memory::Recomputed measuredRecomputed_;
  std::vector<double> gatherSeconds_;  // per piece, from the first iteration: nothing ran beside it
  int64_t boundaryPeakBytes_ = 0;
};

}  // namespace tidemark::train
