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

void turn(at::Tensor heads, const Rotary::Angles& angles, double direction) {
  const int64_t half = heads.size(-1) / 2;
  at::Tensor first = heads.narrow(-1, 0, half), second = heads.narrow(-1, half, half);
  const at::Tensor sine = angles.sine;
  at::Tensor newFirst = at::mul(first, angles.cosine).addcmul_(second, sine, -direction);
  second.mul_(angles.cosine).addcmul_(first, sine, direction);
  first.copy_(newFirst);
}

}  // namespace

Rotary::Rotary(const weights::ModelConfig& config, c10::Device device) {
  // In float32 throughout, as transformers computes it: at position 1000, the last bit of a frequency is 1e-4 rad.
  const at::Tensor exponents = at::arange(0, config.headSize, 2, at::kLong).to(at::kFloat).div_(static_cast<double>(config.headSize));
  at::Tensor frequencies = at::pow(at::Scalar(config.ropeTheta), exponents).reciprocal_();
  float* values = frequencies.mutable_data_ptr<float>();
  for (int64_t i = 0; i < frequencies.numel(); ++i) {
    if (config.ropeScaling == weights::RopeScaling::Linear) values[i] /= static_cast<float>(config.ropeFactor);
    if (config.ropeScaling == weights::RopeScaling::Llama3) values[i] = static_cast<float>(llama3Frequency(values[i], config));
    if (!config.ropeFrequencyFactors.empty()) values[i] /= config.ropeFrequencyFactors[static_cast<size_t>(i)];
  }
  inverseFrequencies_ = frequencies.to(device);
}

Rotary::Angles Rotary::angles(const at::Tensor& positions) const {
  const at::Tensor angle = at::mul(positions.to(at::kFloat).unsqueeze(1), inverseFrequencies_.unsqueeze(0)).unsqueeze(1);
  return {angle.cos(), angle.sin()};
}

void Rotary::rotate(at::Tensor heads, const Angles& angles) { turn(std::move(heads), angles, 1.0); }
void Rotary::rotateBack(at::Tensor heads, const Angles& angles) { turn(std::move(heads), angles, -1.0); }

}  // namespace tidemark::model
