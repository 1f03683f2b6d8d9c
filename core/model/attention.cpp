#include "core/model/attention.h"

#include <ATen/Functions.h>

#include "core/model/attention_kernel.h"
#include "core/model/blocked_linear.h"
#include "core/model/rms_norm.h"

namespace tidemark::model {

// q, k and v as [n, heads, headSize].
struct AttentionOperator::Heads {
  at::Tensor query, key, value;
  at::Tensor rotated;  // q and k together, [n, heads + keyValueHeads, headSize]
};

struct AttentionOperator::Saved : SavedActivation {
  at::Tensor x;          // [n, H]
  at::Tensor inverse;    // [n, 1]
  at::Tensor fused;      // [n, columns]; rotated, unless heads are normalised first
  at::Tensor attended;   // [n, queryColumns]
  at::Tensor projected;  // [n, H], where it is normalised
  std::vector<std::vector<at::Tensor>> statistics;  // for each segment, of its stretches
  at::Tensor hQkv, hO;   // adapters' hidden values
};

AttentionOperator::AttentionOperator(std::string name, AttentionShape shape, AttentionNorms norms, peft::LoraGroup qkv,
                                     peft::LoraGroup o)
    : Operator(std::move(name)), shape_(shape), norms_(std::move(norms)), qkv_(std::move(qkv)), o_(std::move(o)) {}

void AttentionOperator::bindAdapters() {
  qkv_.bind();
  o_.bind();
}

// Views into a fused projection [n, columns].
AttentionOperator::Heads AttentionOperator::split(const at::Tensor& fused) const {
  const AttentionShape& s = shape_;
  const at::Tensor heads = fused.view({fused.size(0), s.heads + 2 * s.keyValueHeads, s.headSize});
  return {heads.narrow(1, 0, s.heads), heads.narrow(1, s.heads, s.keyValueHeads),
          heads.narrow(1, s.heads + s.keyValueHeads, s.keyValueHeads), heads.narrow(1, 0, s.heads + s.keyValueHeads)};
}

// The heads as attention takes them. Without head norms q and k are rotated where they lie, once; with them they are
// copies, and `fused` keeps what the norms' backward needs.
AttentionOperator::Heads AttentionOperator::turned(const at::Tensor& fused, const IterationContext& context) const {
  Heads heads = split(fused);
  if (normalisesHeads()) {
    const at::Tensor raw = heads.rotated;
    heads.rotated = at::empty_like(raw, at::MemoryFormat::Contiguous);
    const at::Tensor inverse = inverseRms(raw, norms_.epsilon);
    at::mul_out(heads.rotated, raw, inverse);
    heads.query = heads.rotated.narrow(1, 0, shape_.heads).mul_(norms_.query);
    heads.key = heads.rotated.narrow(1, shape_.heads, shape_.keyValueHeads).mul_(norms_.key);
  }
  Rotary::rotate(heads.rotated, turn(context));
  return heads;
}

// From gradients for the turned heads to those for the projection, in place.
void AttentionOperator::turnBack(at::Tensor gradients, const at::Tensor& fused, const IterationContext& context) const {
  const Heads d = split(gradients), raw = split(fused);
  Rotary::rotateBack(d.rotated, turn(context));
  if (!normalisesHeads()) return;
  rmsNormBackward(d.query, raw.query, inverseRms(raw.query, norms_.epsilon), norms_.query);
  rmsNormBackward(d.key, raw.key, inverseRms(raw.key, norms_.epsilon), norms_.key);
}

at::Tensor AttentionOperator::project(const at::Tensor& x, const at::Tensor& inverse, const memory::PieceWeights& weights,
                                      const IterationContext& context, at::Tensor* h) const {
  const at::Tensor normalised = rmsNorm(x, inverse, norms_.input);
  at::Tensor fused = at::empty({x.size(0), shape_.columns()}, x.options());
  multiply(normalised, weights[0], fused);
  *h = qkv_.forward(normalised, fused, context.dropoutSeed);
  return fused;
}

at::Tensor AttentionOperator::output(const at::Tensor& attended, const memory::PieceWeights& weights,
                                     const IterationContext& context, at::Tensor* h) const {
  at::Tensor y = at::empty({attended.size(0), norms_.input.size(0)}, attended.options());
  multiply(attended, weights[1], y);
  *h = o_.forward(attended, y, context.outputDropoutSeed());
  return y;
}

at::Tensor AttentionOperator::forward(const at::Tensor& x, const memory::PieceWeights& weights,
                                      const IterationContext& context, std::unique_ptr<SavedActivation>* saved) const {
  auto keep = std::make_unique<Saved>();
  keep->x = x;
  keep->inverse = inverseRms(x, norms_.epsilon);
  keep->fused = project(x, keep->inverse, weights, context, &keep->hQkv);
  keep->attended = at::empty({x.size(0), shape_.queryColumns()}, x.options());
  {
    const Heads heads = turned(keep->fused, context);
    const at::Tensor attended = keep->attended.view({x.size(0), shape_.heads, shape_.headSize});
    int64_t begin = 0;
    for (const int64_t length : context.batch.segmentLengths) {
      const auto part = [&](const at::Tensor& t) { return t.narrow(0, begin, length); };
      auto statistics = attend(part(heads.query), part(heads.key), part(heads.value), shape_.rule, part(attended));
      if (saved) keep->statistics.push_back(std::move(statistics));
      begin += length;
    }
  }
  at::Tensor y = output(keep->attended, weights, context, &keep->hO);
  if (norms_.output.isThere()) keep->projected = y;
  y = norms_.output.add(std::move(y), x);
  if (saved) *saved = std::move(keep);
  return y;
}

at::Tensor AttentionOperator::backward(at::Tensor dy, SavedActivation& savedBase, const memory::PieceWeights& weights,
                                       const IterationContext& context, InputGradient wanted) const {
  auto& saved = static_cast<Saved&>(savedBase);
  const int64_t n = dy.size(0);
  at::Tensor dAttended = at::empty_like(saved.attended);
  {
    const at::Tensor dProjected = norms_.output.gradient(dy, saved.projected);
    saved.projected.reset();
    inputGradient(dProjected, weights[1], dAttended);
    o_.backward(saved.attended, dProjected, saved.hO, dAttended, context.outputDropoutSeed());
  }

  at::Tensor dFused = at::empty_like(saved.fused);
  Heads heads = normalisesHeads() ? turned(saved.fused, context) : split(saved.fused);
  const Heads gradients = split(dFused);
  const auto asHeads = [&](const at::Tensor& t) { return t.view({n, shape_.heads, shape_.headSize}); };
  int64_t begin = 0;
  for (size_t i = 0; i < context.batch.segmentLengths.size(); ++i) {
    const int64_t length = context.batch.segmentLengths[i];
    const auto part = [&](const at::Tensor& t) { return t.narrow(0, begin, length); };
    attendBackward(part(asHeads(dAttended)), part(heads.query), part(heads.key), part(heads.value),
                   part(asHeads(saved.attended)), saved.statistics[i], shape_.rule, part(gradients.query),
                   part(gradients.key), part(gradients.value));
    begin += length;
  }
  heads = {};
  dAttended.reset();
  saved.attended.reset();
  turnBack(dFused, saved.fused, context);
  saved.fused.reset();

  const bool needsInput = wanted == InputGradient::Needed;
  if (!needsInput && qkv_.isEmpty()) return {};
  const at::Tensor normalised = rmsNorm(saved.x, saved.inverse, norms_.input);
  at::Tensor dNormalised;
  if (needsInput) {
    dNormalised = at::empty_like(normalised);
    inputGradient(dFused, weights[0], dNormalised);
  }
  qkv_.backward(normalised, dFused, saved.hQkv, dNormalised, context.dropoutSeed);
  if (!needsInput) return {};
  return dy.add_(rmsNormBackward(dNormalised, saved.x, saved.inverse, norms_.input));
}

at::Tensor AttentionOperator::extend(const at::Tensor& x, const memory::PieceWeights& weights,
                                     const IterationContext& context, KeyValueCache& cache) const {
  at::Tensor unused;
  const at::Tensor fused = project(x, inverseRms(x, norms_.epsilon), weights, context, &unused);
  const Heads heads = turned(fused, context);
  const bool isFirst = !cache.keys.defined();
  cache.keys = isFirst ? heads.key.contiguous() : at::cat({cache.keys, heads.key});
  cache.values = isFirst ? heads.value.contiguous() : at::cat({cache.values, heads.value});
  // After the first call, tokens come one at a time and see everything that the cache holds.
  AttentionRule rule = shape_.rule;
  rule.isCausal = isFirst;
  const auto keepSeen = [&](at::Tensor& held) {  // a sliding layer's next query sees no more than this
    const int64_t extra = rule.window > 0 ? held.size(0) - (isFirst ? rule.window - 1 : rule.window) : 0;
    if (extra > 0) held = held.narrow(0, extra, held.size(0) - extra).clone();
  };
  if (!isFirst) keepSeen(cache.keys), keepSeen(cache.values);
  const at::Tensor attended = at::empty({x.size(0), shape_.heads, shape_.headSize}, x.options());
  attend(heads.query, cache.keys, cache.values, rule, attended);
  if (isFirst) keepSeen(cache.keys), keepSeen(cache.values);
  return norms_.output.add(output(attended.view({x.size(0), shape_.queryColumns()}), weights, context, &unused), x);
}

}  // namespace tidemark::model
