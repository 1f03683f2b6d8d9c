// What one iteration does with memory and time, operator by operator: measured (profile.h) or computed (estimate.h), how it
// scales to other batches, and what it would be if other operators computed their activation again. Plain arithmetic.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/memory/plan.h"

namespace tidemark::memory {

struct OperatorFigures {
  int64_t activationBytes = 0;      // kept for backward
  int64_t workspaceBytes = 0;       // the larger of forward's and backward's peak
  int64_t forwardPeakBytes = 0;     // of everything but remote weights, while it ran
  int64_t backwardPeakBytes = 0;
  double forwardSeconds = 0;        // computing, without waiting for weights
  double backwardSeconds = 0;
  double gatherSeconds = 0;         // of all its remote rows, measured without anything beside it
  int64_t savedBytes = 0;           // what saving for backward holds beside the output; measured also where it is recomputed
  int64_t recomputePeakBytes = 0;   // as the other peaks, while forward ran again; 0: it was saved
  double recomputeSeconds = 0;      // of running forward again, before what backwardSeconds counts

  double wholeBackwardSeconds() const { return backwardSeconds + recomputeSeconds; }
  int64_t wholeBackwardPeakBytes() const { return std::max(backwardPeakBytes, recomputePeakBytes); }
};

// Of all micro-batches of the iteration: what is kept and the seconds are sums, workspace and peaks are the highest.
struct IterationFigures {
  int64_t breadth = 1;              // micro-batches that pass an operator together (Note: breadth)
  int64_t tokens = 0;               // of one micro-batch, of the rank with the most
  int64_t targets = 0;              // of one micro-batch of all ranks
  OperatorFigures embedding, lossHead;
  std::vector<OperatorFigures> operators;  // one per piece
  int64_t boundaryPeakBytes = 0;    // of everything but remote weights, between iterations (optimizer step)

  int64_t activationPeakBytes() const;
  double computeSeconds() const;
};

// The same figures for other batches. What does not grow with the batch (`fixedBytes`: static cache and trainable state)
// stays. The loss head's workspace has a ratio of its own: part of it is the logits of one chunk, whatever the batch.
struct BatchRatio {
  double tokens = 1, lossHeadWorkspace = 1;
};
struct BatchSize {
  int64_t tokens = 0;   // of one rank
  int64_t targets = 0;  // of all ranks
  int64_t ranks = 1;    // that share the vocabulary
};
struct HeadShape {
  int64_t vocabularySize = 0, hiddenSize = 0;
  bool isEncoded = false;
};
int64_t headWorkspaceBytes(const HeadShape& head, const BatchSize& size);
BatchRatio batchRatio(const HeadShape& head, const BatchSize& measured, const BatchSize& wanted);

IterationFigures scaled(const IterationFigures& figures, BatchRatio ratio, int64_t fixedBytes);

// Note: recomputing. An operator whose activation is not saved keeps its input alone, which is the output of the one
// before it, and runs forward again when its backward comes. The figures of one choice tell those of any other: what
// is saved earlier is held at every later moment up to its own backward.
using Recomputed = std::vector<bool>;  // one per operator
// Figures measured under `measured`, as they would be under `wanted`. `outputBytes`: of one operator's output.
IterationFigures withRecomputed(IterationFigures figures, const Recomputed& measured, const Recomputed& wanted,
                                int64_t outputBytes);
// What every micro-batch holds from its start to its end.
struct FlowBytes {
  int64_t output = 0;      // one operator's output: the activation at hand, in backward its gradient
  int64_t companions = 0;  // its token ids, positions and rotary angles
};
// Figures measured with one micro-batch, as they would be with `breadth` of them at most as large.
IterationFigures withBreadth(IterationFigures figures, int64_t breadth, const std::vector<bool>& hasBackward, FlowBytes flow);

// Choices worth a plan, from saving everything to recomputing all of `mayRecompute`: those first that free the most bytes
// for each second of computing them again.
std::vector<Recomputed> recomputeChoices(const IterationFigures& figures, const std::vector<bool>& mayRecompute);

// Where remote weights meet the figures: one entry per piece.
struct PieceFacts {
  std::vector<int64_t> remoteBytes;   // on the rank that owns least
  std::vector<bool> hasBackward;      // whether piece i's operator runs backward
};

// Room for remote weights at every moment.
PlanInput makePlanInput(const IterationFigures& figures, const PieceFacts& pieces, Policy policy, int64_t budgetBytes);
// The least budget with which makePlan finds a plan for these moments; `input` was made with `budgetBytes`.
int64_t leastBudgetBytes(const PlanInput& input, int64_t budgetBytes);

// The fullest moment of an iteration under a plan's keeps.
struct PeakMoment {
  enum class Kind { Forward, Backward, Embedding, LossHead, Boundary };
  Kind kind = Kind::Boundary;
  size_t piece = 0;               // Forward and Backward
  int64_t bytes = 0;              // of everything
  int64_t dynamicBytes = 0;       // the part that is remote weights
};
PeakMoment predictPeak(const IterationFigures& figures, const PieceFacts& pieces, const std::vector<PieceKeep>& keeps,
                       int prefetchDepth);

}  // namespace tidemark::memory
