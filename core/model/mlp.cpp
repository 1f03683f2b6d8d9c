#include "core/model/mlp.h"

#include <ATen/Functions.h>

#include "core/model/blocked_linear.h"
#include "core/model/rms_norm.h"

namespace tidemark::model {

struct MlpOperator::Saved : SavedActivation {
  at::Tensor x;        // [n, H]
  at::Tensor inverse;  // [n, 1]
  at::Tensor gateUp;   // [n, 2 I]
  at::Tensor hGateUp, hDown;
};

MlpOperator::MlpOperator(std::string name, int64_t intermediateSize, at::Tensor norm, double epsilon,
                         peft::LoraGroup gateUp, peft::LoraGroup down)
    : Operator(std::move(name)), intermediateSize_(intermediateSize), norm_(std::move(norm)), epsilon_(epsilon),
      gateUp_(std::move(gateUp)), down_(std::move(down)) {}

void MlpOperator::bindAdapters() {
  gateUp_.bind();
  down_.bind();
}

at::Tensor MlpOperator::forward(const at::Tensor& x, const memory::PieceWeights& weights, const IterationContext& context,
                                std::unique_ptr<SavedActivation>* saved) const {
  auto keep = std::make_unique<Saved>();
  keep->x = x;
  keep->inverse = inverseRms(x, epsilon_);
  keep->gateUp = at::empty({x.size(0), 2 * intermediateSize_}, x.options());
  {
    const at::Tensor normalised = rmsNorm(x, keep->inverse, norm_);
    multiply(normalised, weights[0], keep->gateUp);
    keep->hGateUp = gateUp_.forward(normalised, keep->gateUp, context.dropoutSeed);
  }
  const at::Tensor product = at::silu(keep->gateUp.narrow(1, 0, intermediateSize_))
                                 .mul_(keep->gateUp.narrow(1, intermediateSize_, intermediateSize_));
  at::Tensor y = at::empty_like(x);
  multiply(product, weights[1], y);
  keep->hDown = down_.forward(product, y, context.outputDropoutSeed());
  y.add_(x);
  if (saved) *saved = std::move(keep);
  return y;
}

at::Tensor MlpOperator::backward(at::Tensor dy, SavedActivation& savedBase, const memory::PieceWeights& weights,
                                 const IterationContext& context, InputGradient wanted) const {
  auto& saved = static_cast<Saved&>(savedBase);
  at::Tensor gate = saved.gateUp.narrow(1, 0, intermediateSize_);
  at::Tensor up = saved.gateUp.narrow(1, intermediateSize_, intermediateSize_);
  at::Tensor activated = at::silu(gate);  // [n, I]
  at::Tensor dProduct = at::empty_like(activated);
  inputGradient(dy, weights[1], dProduct);
  if (!down_.isEmpty()) down_.backward(at::mul(activated, up), dy, saved.hDown, dProduct, context.outputDropoutSeed());

  // The gradients of gate and up take the place of their values.
  up.mul_(dProduct);                           // gradient of silu(gate)
  at::silu_backward_out(gate, up, gate);
  at::mul_out(up, dProduct, activated);
  const at::Tensor& dGateUp = saved.gateUp;
  dProduct.reset();
  activated.reset();

  const bool needsInput = wanted == InputGradient::Needed;
  if (!needsInput && gateUp_.isEmpty()) return {};
  const at::Tensor normalised = rmsNorm(saved.x, saved.inverse, norm_);
  at::Tensor dNormalised;
  if (needsInput) {
    dNormalised = at::empty_like(normalised);
    inputGradient(dGateUp, weights[0], dNormalised);
  }
  gateUp_.backward(normalised, dGateUp, saved.hGateUp, dNormalised, context.dropoutSeed);
  if (!needsInput) return {};
  return dy.add_(rmsNormBackward(dNormalised, saved.x, saved.inverse, norm_));
}

}  // namespace tidemark::model
