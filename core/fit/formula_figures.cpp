#include "core/fit/formula_figures.h"

#include <cmath>

namespace tidemark::fit {
namespace {

memory::OperatorFigures figuresOf(const memory::OperatorEstimate& op, const Machine& machine) {
  const double speed = machine.operationsPerSecond.value * machine.efficiency.value;
  const double decode = machine.decodeOperations.value;
  memory::OperatorFigures f;
  f.activationBytes = op.activationBytes;
  f.savedBytes = op.savedBytes;
  f.workspaceBytes = op.workspaceBytes;
  f.forwardPeakBytes = op.forwardPeakBytes;
  f.backwardPeakBytes = op.backwardPeakBytes;
  f.forwardSeconds = (op.work.forwardOperations + decode * op.work.forwardDecoded) / speed;
  f.backwardSeconds = op.backwardPeakBytes > 0 ? (op.work.backwardOperations + decode * op.work.backwardDecoded) / speed : 0;
  return f;
}

// 1 where there is nothing to compare.
double ratio(double measured, double computed) { return measured > 0 && computed > 0 ? measured / computed : 1; }

// Corrects one operator. Peaks are compared beyond what does not depend on the batch.
struct Correction {
  int64_t fixed = 0, measuredFixed = 0, formulaFixed = 0;

  int64_t bytes(int64_t wanted, int64_t measured, int64_t formula) const {
    return std::llround(static_cast<double>(wanted) * ratio(static_cast<double>(measured), static_cast<double>(formula)));
  }
  int64_t peak(int64_t wanted, int64_t measured, int64_t formula) const {
    if (wanted <= fixed) return wanted;
    return fixed + bytes(wanted - fixed, measured - measuredFixed, formula - formulaFixed);
  }
  void apply(memory::OperatorFigures& f, const memory::OperatorFigures& measured, const memory::OperatorFigures& formula) const {
    f.activationBytes = bytes(f.activationBytes, measured.activationBytes, formula.activationBytes);
    f.savedBytes = bytes(f.savedBytes, measured.savedBytes, formula.savedBytes);
    f.workspaceBytes = bytes(f.workspaceBytes, measured.workspaceBytes, formula.workspaceBytes);
    f.forwardPeakBytes = peak(f.forwardPeakBytes, measured.forwardPeakBytes, formula.forwardPeakBytes);
    f.backwardPeakBytes = peak(f.backwardPeakBytes, measured.backwardPeakBytes, formula.backwardPeakBytes);
    f.forwardSeconds *= ratio(measured.forwardSeconds, formula.forwardSeconds);
    f.backwardSeconds *= ratio(measured.backwardSeconds, formula.backwardSeconds);
  }
};

}  // namespace

Result<FormulaFigures> formulaFigures(const memory::EstimateInput& input, const Machine& machine) {
  FormulaFigures result;
  TIDEMARK_ASSIGN(result.estimate, memory::estimateMemory(input));
  const std::vector<memory::OperatorEstimate>& operators = result.estimate.operators;
  memory::IterationFigures& figures = result.figures;
  figures.tokens = input.tokens;
  figures.targets = input.allTargets;
  figures.boundaryPeakBytes = result.estimate.boundaryPeakBytes;
  figures.embedding = figuresOf(operators.front(), machine);
  figures.lossHead = figuresOf(operators.back(), machine);
  const auto others = static_cast<double>(input.ranks - 1);
  for (const memory::OperatorEstimate& op : operators) {
    const double exchanged = op.work.exchangedBytes;
    if (exchanged > 0) result.exchangeSeconds += exchanged / machine.bytesPerSecond.value + others * machine.latencySeconds.value;
  }
  for (size_t i = 1; i + 1 < operators.size(); ++i) {
    memory::OperatorFigures f = figuresOf(operators[i], machine);
    if (operators[i].remoteBytes > 0)
      f.gatherSeconds = static_cast<double>(operators[i].remoteBytes) / machine.bytesPerSecond.value + others * machine.latencySeconds.value;
    figures.operators.push_back(f);
    result.pieces.remoteBytes.push_back(operators[i].remoteBytes);
    result.pieces.hasBackward.push_back(operators[i].backwardPeakBytes > 0);
  }
  return result;
}

Result<FormulaFigures> calibrated(const memory::EstimateInput& input, const Machine& machine, const Profile& profile,
                                  const memory::EstimateInput& measured) {
  TIDEMARK_ASSIGN(FormulaFigures wanted, formulaFigures(input, machine));
  TIDEMARK_ASSIGN(const FormulaFigures formula, formulaFigures(measured, machine));
  if (formula.figures.operators.size() != profile.figures.operators.size())
    return Error{ErrorCode::InvalidInput, "profile", "is of another model"};
  const Correction correction{wanted.estimate.staticBytes + wanted.estimate.trainableBytes, profile.fixedBytes,
                              formula.estimate.staticBytes + formula.estimate.trainableBytes};
  for (size_t i = 0; i < wanted.figures.operators.size(); ++i)
    correction.apply(wanted.figures.operators[i], profile.figures.operators[i], formula.figures.operators[i]);
  // How many rows the others ask for is the formulas' to say: one process alone exchanges nothing.
  wanted.figures.embedding.forwardSeconds = profile.figures.embedding.forwardSeconds * static_cast<double>(input.tokens) /
                                            static_cast<double>(std::max<int64_t>(1, profile.figures.tokens));
  correction.apply(wanted.figures.lossHead, profile.figures.lossHead, formula.figures.lossHead);
  return wanted;
}

}  // namespace tidemark::fit
