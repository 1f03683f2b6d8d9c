#include "core/memory/profile.h"

#include <ATen/Functions.h>

namespace tidemark::memory {
namespace {

void appendTo(std::vector<double>& flat, const OperatorFigures& f) {
  for (const int64_t bytes : {f.activationBytes, f.workspaceBytes, f.forwardPeakBytes, f.backwardPeakBytes,
                              f.savedBytes, f.recomputePeakBytes})
    flat.push_back(static_cast<double>(bytes));
  for (const double seconds : {f.forwardSeconds, f.backwardSeconds, f.gatherSeconds, f.recomputeSeconds}) flat.push_back(seconds);
}

OperatorFigures takeFrom(const double*& flat) {
  OperatorFigures f;
  for (int64_t* bytes : {&f.activationBytes, &f.workspaceBytes, &f.forwardPeakBytes, &f.backwardPeakBytes,
                         &f.savedBytes, &f.recomputePeakBytes})
    *bytes = static_cast<int64_t>(*flat++);
  for (double* seconds : {&f.forwardSeconds, &f.backwardSeconds, &f.gatherSeconds, &f.recomputeSeconds}) *seconds = *flat++;
  return f;
}

}  // namespace

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

PieceFacts piecesOf(const ParameterStore& store, std::vector<bool> hasBackward) {
  PieceFacts pieces;
  for (size_t i = 0; i < store.pieceCount(); ++i) pieces.remoteBytes.push_back(store.remoteBytes(i));
  pieces.hasBackward = std::move(hasBackward);
  return pieces;
}

std::vector<PieceKeep> keepsOf(const ParameterStore& store) {
  std::vector<PieceKeep> keeps;
  for (size_t i = 0; i < store.pieceCount(); ++i)
    keeps.push_back({store.keptBytes(i, Interval::Boundary), store.keptBytes(i, Interval::Turn)});
  return keeps;
}

}  // namespace tidemark::memory
