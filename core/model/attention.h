// The attention operator of a Llama layer: x + o(attention(rope(q), rope(k), v)) of the normalised x, with grouped query
// heads, causal within each segment.
#pragma once

#include "core/model/operator.h"

namespace tidemark::model {

struct AttentionShape {
  int64_t heads = 0, keyValueHeads = 0, headSize = 0;
  int64_t queryColumns() const { return heads * headSize; }
  int64_t keyColumns() const { return keyValueHeads * headSize; }
  int64_t columns() const { return queryColumns() + 2 * keyColumns(); }
};

class AttentionOperator : public Operator {
 public:
  // `norm` [H]; `qkv` and `o` adapt weight groups 0 and 1 of the piece.
  AttentionOperator(std::string name, AttentionShape shape, at::Tensor norm, double epsilon, peft::LoraGroup qkv,
                    peft::LoraGroup o);
  bool hasAdapter() const override { return !qkv_.isEmpty() || !o_.isEmpty(); }
  void bindAdapters() override;
  at::Tensor forward(const at::Tensor& x, const memory::PieceWeights& weights, const IterationContext& context,
                     std::unique_ptr<SavedActivation>* saved) const override;
  at::Tensor backward(at::Tensor dy, SavedActivation& saved, const memory::PieceWeights& weights,
                      const IterationContext& context, InputGradient inputGradient) const override;
  at::Tensor extend(const at::Tensor& x, const memory::PieceWeights& weights, const IterationContext& context,
                    KeyValueCache& cache) const override;

 private:
  struct Saved;
  at::Tensor project(const at::Tensor& x, const at::Tensor& inverse, const memory::PieceWeights& weights,
                     const IterationContext& context, at::Tensor* h) const;
  at::Tensor output(const at::Tensor& x, const at::Tensor& attended, const memory::PieceWeights& weights,
                    const IterationContext& context, at::Tensor* h) const;

  AttentionShape shape_;
  at::Tensor norm_;
  double epsilon_;
  peft::LoraGroup qkv_, o_;
};

}  // namespace tidemark::model
