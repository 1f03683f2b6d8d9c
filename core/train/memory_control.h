// Turns what iterations measured into a plan and the micro-batch, applies both, and announces them. The same on every
// rank: it works on rank-reduced figures and compares the plan's digest before using it.
#pragma once

#include <string>

#include "core/comm/communicator.h"
#include "core/memory/ledger.h"
#include "core/memory/memory_choice.h"
#include "core/model/llama.h"
#include "core/train/batches.h"
#include "core/train/event_writer.h"
#include "core/train/iteration.h"

namespace tidemark::train {

class MemoryControl {
 public:
  struct Settings {
    memory::Policy policy = memory::Policy::Elastic;
    int64_t budgetBytes = 0;        // resolved; the ledger holds it
    int64_t sequencesPerRank = 1;   // per step
    int64_t microBatch = 0;         // 0: chosen here
    memory::Activations activations = memory::Activations::Auto;
    memory::Accumulation accumulation = memory::Accumulation::Auto;
    memory::Processors processors;
  };
  MemoryControl(Settings settings, model::Model& model, IterationRunner& runner, Batches& batches,
                comm::Communicator& communicator, memory::Ledger& ledger, EventWriter& events);

  int64_t microBatch() const { return microBatch_; }
  // Micro-batches of a step on one rank, and how many of them an iteration carries (Note: breadth).
  int64_t accumulate() const { return settings_.sequencesPerRank / microBatch_; }
  int64_t breadth() const { return breadth_; }

  // At the turn of the first iteration: a cautious plan from what forward measured, so that its backward already keeps
  // what it gathers.
  void atFirstTurn();
  // After each iteration: announces the operators once; measures and plans when such iterations were not measured yet, or
  // when a batch was clearly larger than the measured one.
  Status afterIteration();
  // After the first optimizer step: takes the measured boundary into account and chooses micro-batch and breadth.
  Status afterFirstStep(int64_t boundaryPeakBytes);
  // At the end of a step: plans anew for another budget, which all ranks give alike. Where nothing fits it, for the least
  // that does. Returns the budget in force from here on.
  Result<int64_t> useBudget(int64_t budgetBytes, const std::string& reason);
  // After an allocation was refused: the nearest configuration that fits, as a sentence; empty where nothing was measured.
  std::string whatWouldFit() const;
  int64_t plannedPeakBytes() const { return plannedPeakBytes_; }  // of the plan in force

 private:
  struct Measurement {
    memory::IterationFigures figures;  // greatest over ranks
    memory::Recomputed recomputed;     // what was computed again then
    int64_t microBatch = 0;            // 0: nothing measured yet
  };
  struct Choice : memory::MemoryChoice {  // its figures are those of the largest batches
    int64_t microBatch = 1, breadth = 1;
  };
  // The largest batch that `microBatch` sequences can make, relative to the measured one.
  memory::BatchRatio largestBatch(const memory::IterationFigures& measured, int64_t microBatch) const;
  memory::ChoiceInput choiceInput(int64_t tokens) const;
  Result<Choice> chooseForLargest(int64_t microBatch, int64_t breadth) const;
  Result<Choice> fastest() const;  // over micro-batches and breadths
  Result<Choice> fastestBreadth(int64_t microBatch) const;
  Status apply(const Choice& choice, const std::string& reason);
  run::PlanEvent describe(const Choice& choice, const std::string& reason) const;  // once it is applied
  void measureGatherCost();
  int64_t outputBytes(int64_t tokens) const;  // of one operator
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
  int64_t microBatch_, breadth_ = 1;
  Measurement single_;                 // of one micro-batch alone
  Measurement latest_;                 // of iterations as they are now
  std::vector<double> gatherSeconds_;  // per piece, from the first iteration: nothing ran beside it
  double processorSecondsPerByte_ = 0; // of this rank, for each byte that it gathers
  int64_t boundaryPeakBytes_ = 0, plannedPeakBytes_ = 0;
};

}  // namespace tidemark::train
