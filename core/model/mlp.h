// The feed-forward operator of a layer: x + down(act(gate) * up) of the normalised x (SwiGLU and GeGLU, Shazeer 2020),
// where some models normalise what down gives before it is added.
#pragma once

#include "core/model/operator.h"
#include "core/model/output_norm.h"
#include "core/weights/model_config.h"

namespace tidemark::model {

struct MlpShape {
  int64_t intermediateSize = 0;
  weights::Activation activation = weights::Activation::Silu;
};

struct MlpNorms {
  at::Tensor input;  // [H]
  OutputNorm output;
  double epsilon = 0;
};

class MlpOperator : public Operator {
 public:
  // `gateUp` and `down` adapt weight groups 0 and 1 of the piece.
  MlpOperator(std::string name, MlpShape shape, MlpNorms norms, peft::LoraGroup gateUp, peft::LoraGroup down);
  bool hasAdapter() const override { return !gateUp_.isEmpty() || !down_.isEmpty(); }
  void bindAdapters() override;
  at::Tensor forward(const at::Tensor& x, const memory::PieceWeights& weights, const IterationContext& context,
                     std::unique_ptr<SavedActivation>* saved) const override;
  at::Tensor backward(at::Tensor dy, SavedActivation& saved, const memory::PieceWeights& weights,
                      const IterationContext& context, InputGradient inputGradient) const override;
  at::Tensor extend(const at::Tensor& x, const memory::PieceWeights& weights, const IterationContext& context,
                    KeyValueCache&) const override {
    return forward(x, weights, context, nullptr);
  }

 private:
  struct Saved;
  MlpShape shape_;
  MlpNorms norms_;
  peft::LoraGroup gateUp_, down_;
};

}  // namespace tidemark::model
