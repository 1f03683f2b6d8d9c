// Chooses, for an iteration's figures and a budget, what to compute again in backward and which remote weights to keep.
#pragma once

#include <string>
#include <utility>

#include "core/memory/figures.h"

namespace tidemark::memory {

enum class Activations { Auto, Save, Recompute };
Activations activationsFrom(const std::string& name);  // of memory.activations

enum class Accumulation { Auto, DepthFirst, BreadthFirst };
Accumulation accumulationFrom(const std::string& name);  // of memory.accumulation

// Where gathers are carried by the processors that compute.
struct Processors {
  double ofRank = 0;         // this rank's part of the machine's; 0: a device computes
  double threads = 1;        // with which it computes
  // An iteration lasts no less than its work on all processors.
  double leastSeconds(double computeSeconds, double gatherProcessorSeconds) const;
};

// The choices of what to compute again, from least to most.
std::vector<Recomputed> allowedRecomputed(Activations activations, const IterationFigures& figures,
                                          const std::vector<bool>& hasBackward);
// Faster by this much is worth computing again; smaller differences lie within what is foretold.
inline constexpr double kWorthRecomputing = 1.02;

struct MemoryChoice {
  IterationFigures figures;      // under `recomputed`
  Plan plan;
  Recomputed recomputed;
  double seconds = 0;            // of one iteration, embedding and loss head included
  double tokensPerSecond() const { return static_cast<double>(figures.tokens * figures.breadth) / seconds; }
};

struct ChoiceInput {
  PieceFacts pieces;
  Policy policy = Policy::Elastic;
  int64_t budgetBytes = 0;
  int64_t outputBytes = 0;       // of one operator
  Activations activations = Activations::Auto;
  Processors processors;
  double processorSecondsPerByte = 0;  // of this rank, for each byte that it gathers
};

// The plan for figures as they are.
Result<MemoryChoice> planFor(IterationFigures figures, const ChoiceInput& input);

// The fastest that fits. `measured`: what was computed again in `figures`. OutOfMemory where none fits: the error is that of
// the choice that needs least.
Result<MemoryChoice> chooseMemory(const IterationFigures& figures, const Recomputed& measured, const ChoiceInput& input);

// The least budget with which chooseMemory finds anything.
int64_t leastBudgetBytes(const IterationFigures& figures, const Recomputed& measured, const ChoiceInput& input);

// Faster by this much is worth more memory for micro-batches that pass the operators together.
inline constexpr double kWorthBreadth = 1.01;

// Of breadths (Note: breadth) up to `most` that are as fast, the smallest: it needs least memory. Where breadth is asked for,
// the largest that fits. `choose`: a breadth's Result of a MemoryChoice, or of what derives from one.
template <typename Choose>
auto fastestBreadth(Accumulation accumulation, int64_t most, const Choose& choose) -> decltype(choose(most)) {
  if (accumulation == Accumulation::DepthFirst) most = 1;
  auto best = choose(1);
  for (int64_t breadth = 2; best.ok() && breadth <= most; ++breadth) {
    if (most % breadth != 0) continue;
    if (accumulation == Accumulation::Auto && best->plan.remoteBytes == 0) break;  // there is nothing to gather less often
    auto choice = choose(breadth);
    if (!choice.ok()) {
      if (choice.error().code == ErrorCode::OutOfMemory) break;  // more does not fit either
      return choice.error();
    }
    if (accumulation == Accumulation::BreadthFirst || choice->tokensPerSecond() > kWorthBreadth * best->tokensPerSecond())
      best = std::move(choice);
  }
  return best;
}

}  // namespace tidemark::memory
