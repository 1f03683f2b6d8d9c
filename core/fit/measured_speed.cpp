#include "core/fit/measured_speed.h"

#include <algorithm>

#include "core/memory/estimate.h"

namespace tidemark::fit {

std::optional<MeasuredSpeed> speedOf(const weights::ModelSource& model, const run::RunConfig& config,
                                     const std::vector<run::OperatorEvent>& operators) {
  if (operators.size() < 3) return std::nullopt;
  memory::EstimateInput in = memory::estimateInputOf(model, weights::weightForm(config.memory.weights).value_or(weights::WeightForm::Float32));
  in.r = config.peft.r;
  in.targets = config.peft.targetModules;
  in.ranks = config.parallel.ranks;
  // The embedding keeps its output alone: that tells how many tokens were measured.
  const int64_t outputBytes = in.hiddenSize * static_cast<int64_t>(sizeof(float));
  in.tokens = outputBytes > 0 ? operators.front().activationBytes / outputBytes : 0;
  in.longestRow = std::min(in.tokens, config.dataset.maxSeqLength);
  in.rankTargets = in.tokens;
  in.allTargets = in.ranks * in.rankTargets;
  const auto estimate = memory::estimateMemory(in);
  if (!estimate.ok() || estimate->operators.size() != operators.size()) return std::nullopt;
  // Of embedding and loss head the targets are not known, and they exchange.
  double operations = 0, seconds = 0, gatheredBytes = 0, gatherSeconds = 0;
  const double decode = Machine{}.decodeOperations.value;
  for (size_t i = 1; i + 1 < operators.size(); ++i) {
    const run::OperatorEvent& op = operators[i];
    const memory::Work& work = estimate->operators[i].work;
    const double forward = work.forwardOperations + decode * work.forwardDecoded;
    operations += forward;
    if (estimate->operators[i].backwardPeakBytes > 0)
      operations += work.backwardOperations + decode * work.backwardDecoded + (op.isSaved ? 0 : forward);
    seconds += op.forwardSeconds + op.backwardSeconds;
    if (op.gatherSeconds <= 0) continue;
    gatheredBytes += static_cast<double>(op.remoteBytes);
    gatherSeconds += op.gatherSeconds;
  }
  if (operations <= 0 || seconds <= 0) return std::nullopt;
  MeasuredSpeed speed;
  speed.operationsPerSecond = {operations / seconds, Origin::Measured};
  if (gatheredBytes > 0 && gatherSeconds > 0) speed.bytesPerSecond = {gatheredBytes / gatherSeconds, Origin::Measured};
  return speed;
}

}  // namespace tidemark::fit
