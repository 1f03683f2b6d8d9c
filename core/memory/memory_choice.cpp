#include "core/memory/memory_choice.h"

#include <algorithm>
#include <optional>

namespace tidemark::memory {

Result<MemoryChoice> planFor(IterationFigures figures, const ChoiceInput& input) {
  const PlanInput moments = makePlanInput(figures, input.pieces, input.policy, input.budgetBytes);
  MemoryChoice choice;
  TIDEMARK_ASSIGN(choice.plan, makePlan(moments));
  TIDEMARK_TRY(checkPlan(moments, choice.plan));
  const double gathering = static_cast<double>(choice.plan.remoteBytes) * input.processorSecondsPerByte;
  choice.seconds = std::max(choice.plan.predictedSeconds + figures.embedding.forwardSeconds + figures.lossHead.forwardSeconds,
                            input.processors.leastSeconds(figures.computeSeconds(), gathering));
  choice.figures = std::move(figures);
  return choice;
}

Activations activationsFrom(const std::string& name) {
  return name == "save" ? Activations::Save : name == "recompute" ? Activations::Recompute : Activations::Auto;
}

Accumulation accumulationFrom(const std::string& name) {
  return name == "depth-first" ? Accumulation::DepthFirst : name == "breadth-first" ? Accumulation::BreadthFirst : Accumulation::Auto;
}

double Processors::leastSeconds(double computeSeconds, double gatherProcessorSeconds) const {
  if (ofRank == 0) return computeSeconds;
  return std::max(computeSeconds, (threads * computeSeconds + gatherProcessorSeconds) / ofRank);
}

std::vector<Recomputed> allowedRecomputed(Activations activations, const IterationFigures& figures,
                                          const std::vector<bool>& hasBackward) {
  if (activations == Activations::Save) return {Recomputed(figures.operators.size(), false)};
  if (activations == Activations::Recompute) return {hasBackward};
  return recomputeChoices(figures, hasBackward);
}

Result<MemoryChoice> chooseMemory(const IterationFigures& figures, const Recomputed& measured, const ChoiceInput& input) {
  std::optional<MemoryChoice> best;
  std::optional<Error> refusal;
  for (Recomputed& recomputed : allowedRecomputed(input.activations, figures, input.pieces.hasBackward)) {
    IterationFigures wanted = withRecomputed(figures, measured, recomputed, input.outputBytes);
    // Each choice computes longer than the one before it: without any gather it would still be no faster.
    if (best && kWorthRecomputing * wanted.computeSeconds() > best->seconds) break;
    Result<MemoryChoice> choice = planFor(std::move(wanted), input);
    if (!choice.ok()) {
      if (choice.error().code != ErrorCode::OutOfMemory) return choice.error();
      refusal = choice.error();  // the last choice needs least
      continue;
    }
    if (best && choice->seconds * kWorthRecomputing > best->seconds) continue;
    best = std::move(choice).value();
    best->recomputed = std::move(recomputed);
    if (best->plan.remoteBytes == 0) break;  // nothing to be had for computing more again
  }
  if (!best) return *refusal;
  return std::move(*best);
}

int64_t leastBudgetBytes(const IterationFigures& figures, const Recomputed& measured, const ChoiceInput& input) {
  const Recomputed most = allowedRecomputed(input.activations, figures, input.pieces.hasBackward).back();
  const IterationFigures wanted = withRecomputed(figures, measured, most, input.outputBytes);
  return leastBudgetBytes(makePlanInput(wanted, input.pieces, input.policy, 0), 0);
}

}  // namespace tidemark::memory
