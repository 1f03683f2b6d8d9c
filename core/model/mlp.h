// The feed-forward operator of a Llama layer: x + down(silu(gate) * up) of the normalised x (SwiGLU, Shazeer 2020).
#pragma once

#include "core/model/operator.h"

namespace tidemark::model {

class MlpOperator : public Operator {
 public:
  // `norm` [H]; `gateUp` and `down` adapt weight groups 0 and 1 of the piece.
  MlpOperator(std::string name, int64_t intermediateSize, at::Tensor norm, double epsilon, peft::LoraGroup gateUp,
              peft::LoraGroup down);
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
  int64_t intermediateSize_;
  at::Tensor norm_;
  double epsilon_;
  peft::LoraGroup gateUp_, down_;
};

}  // namespace tidemark::model
