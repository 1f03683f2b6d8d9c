#include "core/model/mlp.h"

#include <ATen/Functions.h>

#include "core/model/blocked_linear.h"
#include "core/model/rms_norm.h"

namespace tidemark::model {

namespace {

using weights::Activation;

at::Tensor activated(const at::Tensor& gate, Activation activation) {
  return activation == Activation::Silu ? at::silu(gate) : at::gelu(gate, "tanh");
}

// In place of the gate's values; `dActivated` is the gradient for what activated() gave.
void activationBackward(at::Tensor gate, const at::Tensor& dActivated, Activation activation) {
  if (activation == Activation::Silu) at::silu_backward_out(gate, dActivated, gate);
  else at::gelu_backward_out(gate, dActivated, gate, "tanh");
}

}  // namespace

struct MlpOperator::Saved : SavedActivation {
  at::Tensor x;          // [n, H]
  at::Tensor inverse;    // [n, 1]
  at::Tensor gateUp;     // [n, 2 I]
  at::Tensor projected;  // [n, H], where it is normalised
  at::Tensor hGateUp, hDown;
};

MlpOperator::MlpOperator(std::string name, MlpShape shape, MlpNorms norms, peft::LoraGroup gateUp, peft::LoraGroup down)
    : Operator(std::move(name)), shape_(shape), norms_(std::move(norms)), gateUp_(std::move(gateUp)), down_(std::move(down)) {}

void MlpOperator::bindAdapters() {
  gateUp_.bind();
  down_.bind();
}

at::Tensor MlpOperator::forward(const at::Tensor& x, const memory::PieceWeights& weights, const IterationContext& context,
                                std::unique_ptr<SavedActivation>* saved) const {
  const int64_t I = shape_.intermediateSize;
  auto keep = std::make_unique<Saved>();
  keep->x = x;
  keep->inverse = inverseRms(x, norms_.epsilon);
  keep->gateUp = at::empty({x.size(0), 2 * I}, x.options());
  {
    const at::Tensor normalised = rmsNorm(x, keep->inverse, norms_.input);
    multiply(normalised, weights[0], keep->gateUp);
    keep->hGateUp = gateUp_.forward(normalised, keep->gateUp, context.dropoutSeed);
  }
  const at::Tensor product = activated(keep->gateUp.narrow(1, 0, I), shape_.activation).mul_(keep->gateUp.narrow(1, I, I));
  at::Tensor y = at::empty_like(x);
  multiply(product, weights[1], y);
  keep->hDown = down_.forward(product, y, context.outputDropoutSeed());
  if (norms_.output.isThere()) keep->projected = y;
  y = norms_.output.add(std::move(y), x);
  if (saved) *saved = std::move(keep);
  return y;
}

at::Tensor MlpOperator::backward(at::Tensor dy, SavedActivation& savedBase, const memory::PieceWeights& weights,
                                 const IterationContext& context, InputGradient wanted) const {
  auto& saved = static_cast<Saved&>(savedBase);
  at::Tensor gate = saved.gateUp.narrow(1, 0, shape_.intermediateSize);
  at::Tensor up = saved.gateUp.narrow(1, shape_.intermediateSize, shape_.intermediateSize);
  at::Tensor dProjected = norms_.output.gradient(dy, saved.projected);
  saved.projected.reset();
  at::Tensor active = activated(gate, shape_.activation);  // [n, I]
  at::Tensor dProduct = at::empty_like(active);
  inputGradient(dProjected, weights[1], dProduct);
  if (!down_.isEmpty()) down_.backward(at::mul(active, up), dProjected, saved.hDown, dProduct, context.outputDropoutSeed());
  dProjected.reset();

  // The gradients of gate and up take the place of their values.
  up.mul_(dProduct);                           // gradient of the activated gate
  activationBackward(gate, up, shape_.activation);
  at::mul_out(up, dProduct, active);
  const at::Tensor& dGateUp = saved.gateUp;
  dProduct.reset();
  active.reset();

  const bool needsInput = wanted == InputGradient::Needed;
  if (!needsInput && gateUp_.isEmpty()) return {};
  const at::Tensor normalised = rmsNorm(saved.x, saved.inverse, norms_.input);
  at::Tensor dNormalised;
  if (needsInput) {
    dNormalised = at::empty_like(normalised);
    inputGradient(dGateUp, weights[0], dNormalised);
  }
  gateUp_.backward(normalised, dGateUp, saved.hGateUp, dNormalised, context.dropoutSeed);
  if (!needsInput) return {};
  return dy.add_(rmsNormBackward(dNormalised, saved.x, saved.inverse, norms_.input));
}

}  // namespace tidemark::model
