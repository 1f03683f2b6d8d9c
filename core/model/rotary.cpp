#include "core/model/rotary.h"

#include <ATen/Functions.h>

#include <numbers>

namespace tidemark::model {
namespace {

// Llama 3.1's scaling: long wavelengths are stretched by `factor`, short ones kept, those between interpolated.
double llama3Frequency(double frequency, const weights::ModelConfig& c) {
  const double wavelength = 2 * std::numbers::pi / frequency;
  const double original = static_cast<double>(c.ropeOriginalPositions);
  if (wavelength < original / c.ropeHighFrequencyFactor) return frequency;
  if (wavelength > original / c.ropeLowFrequencyFactor) return frequency / c.ropeFactor;
  const double smooth = (original / wavelength - c.ropeLowFrequencyFactor) /
                        (c.ropeHighFrequencyFactor - c.ropeLowFrequencyFactor);
  return (1 - smooth) * frequency / c.ropeFactor + smooth * frequency;
}

void turnHeads(at::Tensor heads, const Rotary::Turn& turn, double direction) {
  const int64_t half = heads.size(-1) / 2;
  at::Tensor first = heads.narrow(-1, 0, half), second = heads.narrow(-1, half, half);
  const at::Tensor sine = turn.sine;
  at::Tensor newFirst = at::mul(first, turn.cosine).addcmul_(second, sine, -direction);
  second.mul_(turn.cosine).addcmul_(first, sine, direction);
  first.copy_(newFirst);
}

// In float32 throughout, as transformers computes it: at position 1000, the last bit of a frequency is 1e-4 rad.
at::Tensor unscaledFrequencies(double theta, int64_t headSize) {
  const at::Tensor exponents = at::arange(0, headSize, 2, at::kLong).to(at::kFloat).div_(static_cast<double>(headSize));
  return at::pow(at::Scalar(theta), exponents).reciprocal_();
}

}  // namespace

Rotary::Rotary(const weights::ModelConfig& config, c10::Device device) {
  at::Tensor frequencies = unscaledFrequencies(config.ropeTheta, config.headSize);
  float* values = frequencies.mutable_data_ptr<float>();
  for (int64_t i = 0; i < frequencies.numel(); ++i) {
    if (config.ropeScaling == weights::RopeScaling::Linear) values[i] /= static_cast<float>(config.ropeFactor);
    if (config.ropeScaling == weights::RopeScaling::Llama3) values[i] = static_cast<float>(llama3Frequency(values[i], config));
    if (!config.ropeFrequencyFactors.empty()) values[i] /= config.ropeFrequencyFactors[static_cast<size_t>(i)];
  }
  inverseFrequencies_ = frequencies.to(device);
  if (config.hasSlidingLayers()) slidingFrequencies_ = unscaledFrequencies(config.slidingRopeTheta, config.headSize).to(device);
}

Rotary::Angles Rotary::angles(const at::Tensor& positions) const {
  const at::Tensor places = positions.to(at::kFloat).unsqueeze(1);
  const auto turnBy = [&](const at::Tensor& frequencies) -> Turn {
    if (!frequencies.defined()) return {};
    const at::Tensor angle = at::mul(places, frequencies.unsqueeze(0)).unsqueeze(1);
    return {angle.cos(), angle.sin()};
  };
  return {turnBy(inverseFrequencies_), turnBy(slidingFrequencies_)};
}

void Rotary::rotate(at::Tensor heads, const Turn& turn) { turnHeads(std::move(heads), turn, 1.0); }
void Rotary::rotateBack(at::Tensor heads, const Turn& turn) { turnHeads(std::move(heads), turn, -1.0); }

}  // namespace tidemark::model
