#include "core/memory/profile.h"

#include <ATen/Functions.h>

#include <algorithm>
#include <cmath>

#include "core/memory/estimate.h"

namespace tidemark::memory {
namespace {

// Left free at every moment: indices, statistics and other tensors of a few hundred bytes that differ between batches.
constexpr int64_t kReserveBytes = 32 << 10;

void appendTo(std::vector<double>& flat, const OperatorFigures& f) {
  for (const int64_t bytes : {f.activationBytes, f.workspaceBytes, f.forwardPeakBytes, f.backwardPeakBytes})
    flat.push_back(static_cast<double>(bytes));
  for (const double seconds : {f.forwardSeconds, f.backwardSeconds, f.gatherSeconds}) flat.push_back(seconds);
}

OperatorFigures takeFrom(const double*& flat) {
  OperatorFigures f;
  for (int64_t* bytes : {&f.activationBytes, &f.workspaceBytes, &f.forwardPeakBytes, &f.backwardPeakBytes})
    *bytes = static_cast<int64_t>(*flat++);
  for (double* seconds : {&f.forwardSeconds, &f.backwardSeconds, &f.gatherSeconds}) *seconds = *flat++;
  return f;
}

int64_t grow(int64_t bytes, double ratio, int64_t fixedBytes) {
  if (bytes <= fixedBytes) return bytes;
  return fixedBytes + static_cast<int64_t>(std::ceil(static_cast<double>(bytes - fixedBytes) * ratio));
}

OperatorFigures scaledOperator(OperatorFigures f, double ratio, int64_t fixedBytes) {
  f.activationBytes = grow(f.activationBytes, ratio, 0);
  f.workspaceBytes = grow(f.workspaceBytes, ratio, 0);
  f.forwardPeakBytes = grow(f.forwardPeakBytes, ratio, fixedBytes);
  f.backwardPeakBytes = grow(f.backwardPeakBytes, ratio, fixedBytes);
  f.forwardSeconds *= ratio;
  f.backwardSeconds *= ratio;
  return f;
}

}  // namespace

int64_t IterationFigures::activationPeakBytes() const {
  int64_t bytes = embedding.activationBytes + lossHead.activationBytes;
  for (const OperatorFigures& f : operators) bytes += f.activationBytes;
  return bytes;
}

double IterationFigures::computeSeconds() const {
  double seconds = embedding.forwardSeconds + lossHead.forwardSeconds;
  for (const OperatorFigures& f : operators) seconds += f.forwardSeconds + f.backwardSeconds;
  return seconds;
}

void reduceOverRanks(IterationFigures& figures, comm::Communicator& communicator) {
  std::vector<double> flat{static_cast<double>(figures.tokens), static_cast<double>(figures.targets),
                           static_cast<double>(figures.boundaryPeakBytes)};
  appendTo(flat, figures.embedding);
  appendTo(flat, figures.lossHead);
  for (const OperatorFigures& f : figures.operators) appendTo(flat, f);
  at::Tensor values = at::tensor(flat, at::kDouble);
  communicator.max(values);
  const double* next = values.const_data_ptr<double>();
  figures.tokens = static_cast<int64_t>(*next++);
  figures.targets = static_cast<int64_t>(*next++);
  figures.boundaryPeakBytes = static_cast<int64_t>(*next++);
  figures.embedding = takeFrom(next);
  figures.lossHead = takeFrom(next);
  for (OperatorFigures& f : figures.operators) f = takeFrom(next);
}

int64_t headWorkspaceBytes(const HeadShape& head, const BatchSize& size) {
  EstimateInput in;
  in.vocabularySize = head.vocabularySize;
  in.hiddenSize = head.hiddenSize;
  in.hasTiedHead = true;
  in.embeddingRow = head.isEncoded ? 1 : 0;  // only whether it is encoded matters here
  in.tokens = size.tokens;
  in.rankTargets = (size.targets + size.ranks - 1) / size.ranks;
  in.allTargets = size.targets;
  in.ranks = size.ranks;
  return lossHeadWorkspaceBytes(in);
}

BatchRatio batchRatio(const HeadShape& head, const BatchSize& measured, const BatchSize& wanted) {
  return {static_cast<double>(wanted.tokens) / static_cast<double>(measured.tokens),
          static_cast<double>(headWorkspaceBytes(head, wanted)) / static_cast<double>(headWorkspaceBytes(head, measured))};
}

IterationFigures scaled(const IterationFigures& figures, BatchRatio ratio, int64_t fixedBytes) {
  IterationFigures result = figures;
  result.tokens = static_cast<int64_t>(std::lround(static_cast<double>(figures.tokens) * ratio.tokens));
  result.embedding = scaledOperator(figures.embedding, ratio.tokens, fixedBytes);
  for (OperatorFigures& f : result.operators) f = scaledOperator(f, ratio.tokens, fixedBytes);
  const OperatorFigures& head = figures.lossHead;
  result.lossHead = scaledOperator(head, ratio.tokens, fixedBytes);
  result.lossHead.workspaceBytes = grow(head.workspaceBytes, ratio.lossHeadWorkspace, 0);
  result.lossHead.forwardPeakBytes =
      grow(head.forwardPeakBytes - head.workspaceBytes, ratio.tokens, fixedBytes) + result.lossHead.workspaceBytes;
  return result;
}

PlanInput makePlanInput(const IterationFigures& figures, const ParameterStore& store, const std::vector<bool>& hasBackward,
                        Policy policy, int64_t budgetBytes) {
  PlanInput input;
  input.policy = policy;
  budgetBytes -= kReserveBytes;
  const size_t count = figures.operators.size();
  for (size_t i = 0; i < count; ++i) {
    const OperatorFigures& f = figures.operators[i];
    PieceProfile piece;
    piece.remoteBytes = store.remoteBytes(i);
    piece.gatherSeconds = f.gatherSeconds;
    piece.forwardSeconds = f.forwardSeconds;
    piece.backwardSeconds = f.backwardSeconds;
    // The first pieces are gathered while the embedding runs, the last ones while the loss head does.
    const int64_t forwardPeak = i == 0 ? std::max(f.forwardPeakBytes, figures.embedding.forwardPeakBytes) : f.forwardPeakBytes;
    const int64_t backwardPeak =
        i + 1 == count ? std::max(f.backwardPeakBytes, figures.lossHead.forwardPeakBytes) : f.backwardPeakBytes;
    piece.forwardCapacity = budgetBytes - forwardPeak;
    piece.backwardCapacity = budgetBytes - backwardPeak;
    piece.hasBackward = hasBackward[i];
    input.pieces.push_back(piece);
  }
  input.turnCapacity = budgetBytes - figures.lossHead.forwardPeakBytes;
  input.boundaryCapacity = budgetBytes - figures.boundaryPeakBytes;
  return input;
}

int64_t predictPeakBytes(const IterationFigures& figures, const ParameterStore& store,
                         const std::vector<bool>& hasBackward, int prefetchDepth) {
  const auto count = static_cast<int64_t>(figures.operators.size());
  const auto at = [](int64_t i) { return static_cast<size_t>(i); };
  // Remote weights while pieces [low, high] are whole: deeper ones by their boundary keeps, shallower ones by their turn
  // keeps, and pieces without a backward by their boundary keeps always.
  const auto dynamicBytes = [&](int64_t low, int64_t high) {
    int64_t bytes = 0;
    for (int64_t i = 0; i < count; ++i) {
      if (i >= low && i <= high) bytes += store.remoteBytes(at(i));
      else if (i > high || !hasBackward[at(i)]) bytes += store.keptBytes(at(i), Interval::Boundary);
      else bytes += store.keptBytes(at(i), Interval::Turn);
    }
    return bytes;
  };
  int64_t peak = figures.boundaryPeakBytes + dynamicBytes(-1, -1);
  for (int64_t i = 0; i < count; ++i) {
    const OperatorFigures& f = figures.operators[at(i)];
    peak = std::max(peak, f.forwardPeakBytes + dynamicBytes(i, std::min(count - 1, i + prefetchDepth)));
    if (hasBackward[at(i)])
      peak = std::max(peak, f.backwardPeakBytes + dynamicBytes(std::max<int64_t>(0, i - prefetchDepth), i));
  }
  peak = std::max(peak, figures.embedding.forwardPeakBytes + dynamicBytes(0, std::min(count - 1, static_cast<int64_t>(prefetchDepth))));
  return std::max(peak, figures.lossHead.forwardPeakBytes +
                            dynamicBytes(std::max<int64_t>(0, count - 1 - prefetchDepth), count - 1));
}

}  // namespace tidemark::memory
