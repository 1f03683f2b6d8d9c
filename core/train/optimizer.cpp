#include "core/train/optimizer.h"

#include <ATen/Functions.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/memory/block_sizes.h"

namespace tidemark::train {

// 1 MiB of each, or 2 in double: parameter, gradient, moments and workspace stay in the cache.
using memory::kUpdateElements;

void adamWUpdate(peft::TrainableState& state, const AdamWSettings& s, double learningRate, int64_t update) {
  const double correction1 = 1 - std::pow(s.beta1, static_cast<double>(update));
  const double correction2 = std::sqrt(1 - std::pow(s.beta2, static_cast<double>(update)));
  for (int64_t at = 0; at < state.parameterCount(); at += kUpdateElements) {
    const int64_t count = std::min(kUpdateElements, state.parameterCount() - at);
    at::Tensor parameter = state.parameters.narrow(0, at, count), gradient = state.gradients.narrow(0, at, count);
    at::Tensor first = state.firstMoment.narrow(0, at, count), second = state.secondMoment.narrow(0, at, count);
    if (s.weightDecay != 0) parameter.mul_(1 - learningRate * s.weightDecay);
    first.lerp_(gradient, 1 - s.beta1);
    second.mul_(s.beta2).addcmul_(gradient, gradient, 1 - s.beta2);
    const at::Tensor denominator = second.sqrt().div_(correction2).add_(s.epsilon);
    parameter.addcdiv_(first, denominator, -learningRate / correction1);
  }
}

int64_t optimizerWorkspaceBytes(const peft::TrainableState& state) {
  constexpr int64_t kStatistics = 64 << 10;  // loss, norm, flags
  return std::min(kUpdateElements, state.parameterCount()) * static_cast<int64_t>(sizeof(double)) + kStatistics;
}

double clipGradients(peft::TrainableState& state, double maxNorm) {
  double squares = 0;
  for (int64_t at = 0; at < state.parameterCount(); at += kUpdateElements) {
    const at::Tensor piece = state.gradients.narrow(0, at, std::min(kUpdateElements, state.parameterCount() - at));
    const double part = at::linalg_vector_norm(piece, 2, std::nullopt, false, at::kDouble).item<double>();
    squares += part * part;
  }
  const double norm = std::sqrt(squares);
  if (maxNorm > 0 && norm > maxNorm) state.gradients.mul_(maxNorm / (norm + 1e-6));
  return norm;
}

double learningRateAt(const ScheduleSettings& s, int64_t step) {
  const auto total = static_cast<double>(s.maxSteps);
  const double warmup = std::ceil(s.warmupRatio * total);
  const auto at = static_cast<double>(step);
  if (at < warmup) return s.learningRate * at / std::max(1.0, warmup);
  if (s.type == "constant") return s.learningRate;
  if (s.type == "linear") return s.learningRate * std::max(0.0, (total - at) / std::max(1.0, total - warmup));
  const double progress = (at - warmup) / std::max(1.0, total - warmup);
  return s.learningRate * std::max(0.0, 0.5 * (1 + std::cos(std::numbers::pi * progress)));
}

}  // namespace tidemark::train
