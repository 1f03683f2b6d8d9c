// The attention operator of a layer: x + o(attention(rope(q), rope(k), v)) of the normalised x, with grouped query heads,
// causal within each segment. Where the model has them, q and k are normalised head by head before they are rotated, and
// what o gives before it is added.
#pragma once

#include "core/model/attention_kernel.h"
#include "core/model/operator.h"
#include "core/model/output_norm.h"

namespace tidemark::model {

struct AttentionShape {
  int64_t heads = 0, keyValueHeads = 0, headSize = 0;
  bool isSliding = false;  // a sliding layer: it has a RoPE of its own
  AttentionRule rule;
  int64_t queryColumns() const { return heads * headSize; }
  int64_t keyColumns() const { return keyValueHeads * headSize; }
  int64_t columns() const { return queryColumns() + 2 * keyColumns(); }
};

struct AttentionNorms {
  at::Tensor input;       // [H]
  at::Tensor query, key;  // [D], of every head; undefined where the model has none
  OutputNorm output;
  double epsilon = 0;
};

class AttentionOperator : public Operator {
 public:
  // `qkv` and `o` adapt weight groups 0 and 1 of the piece.
  AttentionOperator(std::string name, AttentionShape shape, AttentionNorms norms, peft::LoraGroup qkv, peft::LoraGroup o);
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
  struct Heads;
  bool normalisesHeads() const { return norms_.query.defined(); }
  const Rotary::Turn& turn(const IterationContext& context) const {
    return shape_.isSliding ? context.angles.sliding : context.angles.full;
  }
  Heads split(const at::Tensor& fused) const;
  Heads turned(const at::Tensor& fused, const IterationContext& context) const;
  void turnBack(at::Tensor gradients, const at::Tensor& fused, const IterationContext& context) const;
  at::Tensor project(const at::Tensor& x, const at::Tensor& inverse, const memory::PieceWeights& weights,
                     const IterationContext& context, at::Tensor* h) const;
  at::Tensor output(const at::Tensor& attended, const memory::PieceWeights& weights, const IterationContext& context,
                    at::Tensor* h) const;

  AttentionShape shape_;
  AttentionNorms norms_;
  peft::LoraGroup qkv_, o_;
};

}  // namespace tidemark::model
