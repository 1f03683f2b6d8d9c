#include "core/peft/lora.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Functions.h>

#include <algorithm>
#include <cmath>

namespace tidemark::peft {
namespace {

std::string lastPart(const std::string& module) { return module.substr(module.rfind('.') + 1); }

}  // namespace

bool LoraSettings::targetsModule(const std::string& module) const {
  return std::any_of(targets.begin(), targets.end(),
                     [&](const std::string& target) { return target == "all-linear" || target == lastPart(module); });
}

LoraGroup::LoraGroup(const std::vector<Matrix>& matrices, int64_t columns, const LoraSettings& settings,
                     TrainableState& state)
    : state_(state), r_(settings.r), scale_(settings.alpha / static_cast<double>(settings.r)), dropout_(settings.dropout) {
  for (const Matrix& matrix : matrices) {
    if (!settings.targetsModule(matrix.module)) continue;
    const size_t a = state_.add(matrix.module + ".lora_A.weight", {r_, columns});
    if (parts_.empty()) firstA_ = a;
    parts_.push_back({matrix, 0, r_ * static_cast<int64_t>(parts_.size()), {}, {}});
  }
  for (Part& part : parts_) part.b = state_.add(part.matrix.module + ".lora_B.weight", {part.matrix.rows, r_});
}

void LoraGroup::bind() {
  if (isEmpty()) return;
  weightA_ = state_.stacked(state_.parameters, firstA_, parts_.size());
  gradientA_ = state_.stacked(state_.gradients, firstA_, parts_.size());
  for (Part& part : parts_) {
    part.weightB = state_.parameter(part.b);
    part.gradientB = state_.gradient(part.b);
  }
}

at::Tensor LoraGroup::mask(const at::Tensor& x, DropoutSeed seed) const {
  at::Generator generator = at::make_generator<at::CPUGeneratorImpl>(seed);
  at::Tensor mask = at::empty(x.sizes(), at::kFloat).bernoulli_(1.0 - dropout_, generator);
  return mask.mul_(1.0 / (1.0 - dropout_)).to(x.device());
}

at::Tensor LoraGroup::forward(const at::Tensor& x, at::Tensor& y, DropoutSeed seed) const {
  if (isEmpty()) return {};
  at::Tensor h = at::mm(dropout_ > 0 && seed != 0 ? at::mul(x, mask(x, seed)) : x, weightA_.t());
  for (const Part& part : parts_)
    y.narrow(1, part.matrix.rowBegin, part.matrix.rows)
        .addmm_(h.narrow(1, part.columnBegin, r_), part.weightB.t(), 1.0, scale_);
  return h;
}

void LoraGroup::backward(const at::Tensor& x, const at::Tensor& dy, const at::Tensor& h, at::Tensor dx,
                         DropoutSeed seed) const {
  if (isEmpty()) return;
  at::Tensor dh = at::empty_like(h);
  for (const Part& part : parts_) {
    const at::Tensor dyPart = dy.narrow(1, part.matrix.rowBegin, part.matrix.rows);
    at::Tensor dhPart = dh.narrow(1, part.columnBegin, r_);
    at::mm_out(dhPart, dyPart, part.weightB);
    part.gradientB.addmm_(dyPart.t(), h.narrow(1, part.columnBegin, r_), 1.0, scale_);
  }
  dh.mul_(scale_);
  const bool drops = dropout_ > 0 && seed != 0;
  const at::Tensor kept = drops ? mask(x, seed) : at::Tensor();
  gradientA_.addmm_(dh.t(), drops ? at::mul(x, kept) : x);
  if (!dx.defined()) return;
  if (drops) dx.add_(at::mm(dh, weightA_).mul_(kept));
  else dx.addmm_(dh, weightA_);
}

void initialiseLora(TrainableState& state, uint64_t seed) {
  at::Generator generator = at::make_generator<at::CPUGeneratorImpl>(seed);
  for (size_t i = 0; i < state.entries().size(); ++i) {
    const TrainableState::Entry& entry = state.entries()[i];
    at::Tensor parameter = state.parameter(i);
    if (entry.name.ends_with(".lora_B.weight")) {
      parameter.zero_();
      continue;
    }
    const double bound = 1.0 / std::sqrt(static_cast<double>(entry.shape[1]));
    parameter.copy_(at::empty(entry.shape, at::kFloat).uniform_(-bound, bound, generator));
  }
}

}  // namespace tidemark::peft
