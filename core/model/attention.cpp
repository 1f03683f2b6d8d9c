#include "core/model/attention.h"

#include <ATen/Functions.h>

#include "core/model/attention_kernel.h"
#include "core/model/blocked_linear.h"
#include "core/model/rms_norm.h"

namespace tidemark::model {
namespace {

// Views into the fused projection [n, columns]: q, k and v as [n, heads, headSize].
struct Heads {
  at::Tensor query, key, value;
  at::Tensor rotated;  // q and k together
};

Heads splitHeads(const at::Tensor& fused, const AttentionShape& s) {
  const at::Tensor heads = fused.view({fused.size(0), s.heads + 2 * s.keyValueHeads, s.headSize});
  return {heads.narrow(1, 0, s.heads), heads.narrow(1, s.heads, s.keyValueHeads),
          heads.narrow(1, s.heads + s.keyValueHeads, s.keyValueHeads), heads.narrow(1, 0, s.heads + s.keyValueHeads)};
}

}  // namespace

struct AttentionOperator::Saved : SavedActivation {
  at::Tensor x;         // [n, H]
  at::Tensor inverse;   // [n, 1]
  at::Tensor fused;     // [n, columns], rotated
  at::Tensor attended;  // [n, queryColumns]
  std::vector<at::Tensor> statistics;  // one per segment
  at::Tensor hQkv, hO;  // adapters' hidden values
};

AttentionOperator::AttentionOperator(std::string name, AttentionShape shape, at::Tensor norm, double epsilon,
                                     peft::LoraGroup qkv, peft::LoraGroup o)
    : Operator(std::move(name)), shape_(shape), norm_(std::move(norm)), epsilon_(epsilon), qkv_(std::move(qkv)),
      o_(std::move(o)) {}

void AttentionOperator::bindAdapters() {
  qkv_.bind();
  o_.bind();
}

at::Tensor AttentionOperator::project(const at::Tensor& x, const at::Tensor& inverse, const memory::PieceWeights& weights,
                                      const IterationContext& context, at::Tensor* h) const {
  const at::Tensor normalised = rmsNorm(x, inverse, norm_);
  at::Tensor fused = at::empty({x.size(0), shape_.columns()}, x.options());
  multiply(normalised, weights[0], fused);
  *h = qkv_.forward(normalised, fused, context.dropoutSeed);
  Rotary::rotate(splitHeads(fused, shape_).rotated, context.angles);
  return fused;
}

at::Tensor AttentionOperator::output(const at::Tensor& x, const at::Tensor& attended, const memory::PieceWeights& weights,
                                     const IterationContext& context, at::Tensor* h) const {
  at::Tensor y = at::empty_like(x);
  multiply(attended, weights[1], y);
  *h = o_.forward(attended, y, context.outputDropoutSeed());
  return y.add_(x);
}

at::Tensor AttentionOperator::forward(const at::Tensor& x, const memory::PieceWeights& weights,
                                      const IterationContext& context, std::unique_ptr<SavedActivation>* saved) const {
  auto keep = std::make_unique<Saved>();
  keep->x = x;
  keep->inverse = inverseRms(x, epsilon_);
  keep->fused = project(x, keep->inverse, weights, context, &keep->hQkv);
  keep->attended = at::empty({x.size(0), shape_.queryColumns()}, x.options());
  const Heads heads = splitHeads(keep->fused, shape_);
  const at::Tensor attended = keep->attended.view({x.size(0), shape_.heads, shape_.headSize});
  int64_t begin = 0;
  for (const int64_t length : context.batch.segmentLengths) {
    AttentionResult result = attend(heads.query.narrow(0, begin, length), heads.key.narrow(0, begin, length),
                                    heads.value.narrow(0, begin, length), /*causal=*/true);
    attended.narrow(0, begin, length)
        .unflatten(1, {shape_.keyValueHeads, shape_.heads / shape_.keyValueHeads})
        .copy_(result.output.permute({2, 0, 1, 3}));
    if (saved) keep->statistics.push_back(std::move(result.statistics));
    begin += length;
  }
  at::Tensor y = output(x, keep->attended, weights, context, &keep->hO);
  if (saved) *saved = std::move(keep);
  return y;
}

at::Tensor AttentionOperator::backward(at::Tensor dy, SavedActivation& savedBase, const memory::PieceWeights& weights,
                                       const IterationContext& context, InputGradient wanted) const {
  auto& saved = static_cast<Saved&>(savedBase);
  const int64_t n = dy.size(0);
  at::Tensor dAttended = at::empty_like(saved.attended);
  inputGradient(dy, weights[1], dAttended);
  o_.backward(saved.attended, dy, saved.hO, dAttended, context.outputDropoutSeed());

  at::Tensor dFused = at::empty_like(saved.fused);
  const Heads heads = splitHeads(saved.fused, shape_), gradients = splitHeads(dFused, shape_);
  const auto asHeads = [&](const at::Tensor& t) { return t.view({n, shape_.heads, shape_.headSize}); };
  int64_t begin = 0;
  for (size_t i = 0; i < context.batch.segmentLengths.size(); ++i) {
    const int64_t length = context.batch.segmentLengths[i];
    const auto part = [&](const at::Tensor& t) { return t.narrow(0, begin, length); };
    attendBackward(part(asHeads(dAttended)), part(heads.query), part(heads.key), part(heads.value),
                   part(asHeads(saved.attended)), saved.statistics[i], part(gradients.query), part(gradients.key),
                   part(gradients.value));
    begin += length;
  }
  dAttended.reset();
  saved.fused.reset();
  saved.attended.reset();
  Rotary::rotateBack(gradients.rotated, context.angles);

  const bool needsInput = wanted == InputGradient::Needed;
  if (!needsInput && qkv_.isEmpty()) return {};
  const at::Tensor normalised = rmsNorm(saved.x, saved.inverse, norm_);
  at::Tensor dNormalised;
  if (needsInput) {
    dNormalised = at::empty_like(normalised);
    inputGradient(dFused, weights[0], dNormalised);
  }
  qkv_.backward(normalised, dFused, saved.hQkv, dNormalised, context.dropoutSeed);
  if (!needsInput) return {};
  return dy.add_(rmsNormBackward(dNormalised, saved.x, saved.inverse, norm_));
}

at::Tensor AttentionOperator::extend(const at::Tensor& x, const memory::PieceWeights& weights,
                                     const IterationContext& context, KeyValueCache& cache) const {
  at::Tensor unused;
  const at::Tensor fused = project(x, inverseRms(x, epsilon_), weights, context, &unused);
  const Heads heads = splitHeads(fused, shape_);
  const bool isFirst = !cache.keys.defined();
  cache.keys = isFirst ? heads.key.contiguous() : at::cat({cache.keys, heads.key});
  cache.values = isFirst ? heads.value.contiguous() : at::cat({cache.values, heads.value});
  // After the first call, tokens come one at a time and see everything before them.
  const at::Tensor result = attend(heads.query, cache.keys, cache.values, /*causal=*/isFirst).output;
  return output(x, result.permute({2, 0, 1, 3}).reshape({x.size(0), shape_.queryColumns()}), weights, context, &unused);
}

}  // namespace tidemark::model
