#include "core/memory/figures.h"

#include <cmath>

#include "core/memory/block_sizes.h"
#include "core/memory/estimate.h"

namespace tidemark::memory {
namespace {

int64_t grow(int64_t bytes, double ratio, int64_t fixedBytes) {
  if (bytes <= fixedBytes) return bytes;
  return fixedBytes + static_cast<int64_t>(std::ceil(static_cast<double>(bytes - fixedBytes) * ratio));
}

OperatorFigures scaledOperator(OperatorFigures f, double ratio, int64_t fixedBytes) {
  f.activationBytes = grow(f.activationBytes, ratio, 0);
  f.workspaceBytes = grow(f.workspaceBytes, ratio, 0);
  f.savedBytes = grow(f.savedBytes, ratio, 0);
  f.recomputePeakBytes = grow(f.recomputePeakBytes, ratio, fixedBytes);
  f.forwardPeakBytes = grow(f.forwardPeakBytes, ratio, fixedBytes);
  f.backwardPeakBytes = grow(f.backwardPeakBytes, ratio, fixedBytes);
  f.forwardSeconds *= ratio;
  f.backwardSeconds *= ratio;
  f.recomputeSeconds *= ratio;
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
  for (const OperatorFigures& f : operators) seconds += f.forwardSeconds + f.wholeBackwardSeconds();
  return seconds;
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

IterationFigures withRecomputed(IterationFigures figures, const Recomputed& measured, const Recomputed& wanted,
                                int64_t outputBytes) {
  int64_t shift = 0;  // of what the operators so far save
  for (size_t i = 0; i < figures.operators.size(); ++i) {
    OperatorFigures& f = figures.operators[i];
    f.forwardPeakBytes += shift;
    f.backwardPeakBytes += shift;
    if (measured[i] && wanted[i]) f.recomputePeakBytes += shift;
    if (measured[i] == wanted[i]) continue;
    const int sign = wanted[i] ? -1 : 1;
    f.activationBytes += sign * f.savedBytes;
    f.recomputeSeconds = wanted[i] ? f.forwardSeconds : 0;
    // While one micro-batch runs, the others hold what they saved here.
    const int64_t ofOthers = f.savedBytes / figures.breadth * (figures.breadth - 1);
    f.forwardPeakBytes += sign * ofOthers;
    f.backwardPeakBytes += sign * ofOthers;
    // Forward runs again beside the gradient of the output.
    f.recomputePeakBytes = wanted[i] ? f.forwardPeakBytes + outputBytes : 0;
    shift += sign * f.savedBytes;
  }
  figures.lossHead.forwardPeakBytes += shift;
  return figures;
}

IterationFigures withBreadth(IterationFigures figures, int64_t breadth, const std::vector<bool>& hasBackward, FlowBytes flow) {
  if (breadth == 1) return figures;
  figures.breadth = breadth;
  const int64_t others = breadth - 1;
  int64_t held = flow.output + flow.companions;  // by each of the others, at the operator at hand
  const auto widen = [&](OperatorFigures& f, int64_t heldInForward, int64_t heldInBackward) {
    f.activationBytes *= breadth;
    f.savedBytes *= breadth;
    f.forwardPeakBytes += others * heldInForward;
    f.backwardPeakBytes += others * heldInBackward;
    if (f.recomputePeakBytes > 0) f.recomputePeakBytes += others * heldInBackward;
    f.forwardSeconds *= static_cast<double>(breadth);
    f.backwardSeconds *= static_cast<double>(breadth);
    f.recomputeSeconds *= static_cast<double>(breadth);
  };
  widen(figures.embedding, held, held);
  for (size_t i = 0; i < figures.operators.size(); ++i) {
    OperatorFigures& f = figures.operators[i];
    // The input stays for backward, so what is kept here, the output included, comes on top.
    const int64_t after = hasBackward[i] ? held + f.activationBytes : held;
    widen(f, after, after);
    held = after;
  }
  widen(figures.lossHead, held, held);
  return figures;
}

std::vector<Recomputed> recomputeChoices(const IterationFigures& figures, const std::vector<bool>& mayRecompute) {
  constexpr size_t kSteps = 8;
  std::vector<size_t> order;
  for (size_t i = 0; i < mayRecompute.size(); ++i)
    if (mayRecompute[i]) order.push_back(i);
  const auto value = [&](size_t i) {
    return static_cast<double>(figures.operators[i].savedBytes) / std::max(1e-9, figures.operators[i].forwardSeconds);
  };
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return value(a) > value(b); });
  std::vector<Recomputed> choices;
  for (size_t step = 0; step <= kSteps; ++step) {
    Recomputed choice(mayRecompute.size(), false);
    for (size_t k = 0; k < order.size() * step / kSteps; ++k) choice[order[k]] = true;
    if (choices.empty() || choices.back() != choice) choices.push_back(std::move(choice));
  }
  return choices;
}

PlanInput makePlanInput(const IterationFigures& figures, const PieceFacts& pieces, Policy policy, int64_t budgetBytes) {
  PlanInput input;
  input.policy = policy;
  budgetBytes -= kReserveBytes;
  const size_t count = figures.operators.size();
  for (size_t i = 0; i < count; ++i) {
    const OperatorFigures& f = figures.operators[i];
    PieceProfile piece;
    piece.remoteBytes = pieces.remoteBytes[i];
    piece.gatherSeconds = f.gatherSeconds;
    piece.forwardSeconds = f.forwardSeconds;
    piece.backwardSeconds = f.wholeBackwardSeconds();
    // The first pieces are gathered while the embedding runs, the last ones while the loss head does.
    const int64_t forwardPeak = i == 0 ? std::max(f.forwardPeakBytes, figures.embedding.forwardPeakBytes) : f.forwardPeakBytes;
    const int64_t backwardPeak =
        i + 1 == count ? std::max(f.wholeBackwardPeakBytes(), figures.lossHead.forwardPeakBytes) : f.wholeBackwardPeakBytes();
    piece.forwardCapacity = budgetBytes - forwardPeak;
    piece.backwardCapacity = budgetBytes - backwardPeak;
    piece.hasBackward = pieces.hasBackward[i];
    input.pieces.push_back(piece);
  }
  input.turnCapacity = budgetBytes - figures.lossHead.forwardPeakBytes;
  input.boundaryCapacity = budgetBytes - figures.boundaryPeakBytes;
  return input;
}

int64_t leastBudgetBytes(const PlanInput& input, int64_t budgetBytes) {
  int64_t lacking = std::max(-input.turnCapacity, -input.boundaryCapacity);
  for (const PieceProfile& piece : input.pieces) {
    lacking = std::max(lacking, piece.remoteBytes - piece.forwardCapacity);
    if (piece.hasBackward) lacking = std::max(lacking, piece.remoteBytes - piece.backwardCapacity);
  }
  return budgetBytes + lacking;
}

PeakMoment predictPeak(const IterationFigures& figures, const PieceFacts& pieces, const std::vector<PieceKeep>& keeps,
                       int prefetchDepth) {
  const auto count = static_cast<int64_t>(figures.operators.size());
  const auto at = [](int64_t i) { return static_cast<size_t>(i); };
  // Deeper pieces are held by their boundary keeps, shallower ones by their turn keeps, and pieces without a backward by
  // their boundary keeps always. Sums over pieces [0, i).
  std::vector<int64_t> whole(at(count) + 1), boundary(at(count) + 1), turn(at(count) + 1);
  for (int64_t i = 0; i < count; ++i) {
    whole[at(i + 1)] = whole[at(i)] + pieces.remoteBytes[at(i)];
    boundary[at(i + 1)] = boundary[at(i)] + keeps[at(i)].boundaryBytes;
    turn[at(i + 1)] = turn[at(i)] + (pieces.hasBackward[at(i)] ? keeps[at(i)].turnBytes : keeps[at(i)].boundaryBytes);
  }
  // Remote weights while pieces [low, high] are whole.
  const auto dynamicBytes = [&](int64_t low, int64_t high) {
    return turn[at(low)] + whole[at(high + 1)] - whole[at(low)] + boundary[at(count)] - boundary[at(high + 1)];
  };
  PeakMoment peak{PeakMoment::Kind::Boundary, 0, figures.boundaryPeakBytes + boundary[at(count)], boundary[at(count)]};
  const auto raise = [&](PeakMoment::Kind kind, int64_t piece, int64_t own, int64_t dynamic) {
    if (own + dynamic > peak.bytes) peak = {kind, at(piece), own + dynamic, dynamic};
  };
  const int64_t ahead = std::min<int64_t>(count - 1, prefetchDepth);
  raise(PeakMoment::Kind::Embedding, 0, figures.embedding.forwardPeakBytes, dynamicBytes(0, ahead));
  for (int64_t i = 0; i < count; ++i) {
    const OperatorFigures& f = figures.operators[at(i)];
    raise(PeakMoment::Kind::Forward, i, f.forwardPeakBytes, dynamicBytes(i, std::min(count - 1, i + prefetchDepth)));
    if (pieces.hasBackward[at(i)])
      raise(PeakMoment::Kind::Backward, i, f.wholeBackwardPeakBytes(), dynamicBytes(std::max<int64_t>(0, i - prefetchDepth), i));
  }
  raise(PeakMoment::Kind::LossHead, 0, figures.lossHead.forwardPeakBytes,
        dynamicBytes(std::max<int64_t>(0, count - 1 - prefetchDepth), count - 1));
  return peak;
}

}  // namespace tidemark::memory
