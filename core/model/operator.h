// One schedulable piece of the model: it runs once forward and once backward in an iteration, on weights that the caller
// acquired for exactly that time. It holds no frozen matrices and decides nothing about memory.
//
// Note: segments. Operators write their own backward instead of leaving it to an autograd graph over the whole model: so
// the schedule owns time (acquire weights, run, keep or drop, release), no graph pins a gathered weight, and each
// operator saves exactly what its backward cannot cheaply compute again (normalised inputs and SwiGLU's product are
// computed again; matrix products and attention never are).
#pragma once

#include <ATen/core/Tensor.h>

#include <memory>
#include <string>

#include "core/memory/parameter_store.h"
#include "core/model/batch.h"
#include "core/model/rotary.h"
#include "core/peft/lora.h"

namespace tidemark::model {

// What all operators of an iteration share.
struct IterationContext {
  const Batch& batch;
  Rotary::Angles angles;
  uint64_t dropoutSeed = 0;  // of the operator's first group, differs per iteration, rank and operator; 0: no dropout
  uint64_t outputDropoutSeed() const { return dropoutSeed == 0 ? 0 : dropoutSeed + 1; }  // of its second group
};

// What an operator keeps from forward for backward. Released (reset) by the caller after backward.
struct SavedActivation {
  virtual ~SavedActivation() = default;
};

enum class InputGradient { Needed, NotNeeded };

// Keys and values of the tokens seen so far, for generation.
struct KeyValueCache {
  at::Tensor keys, values;  // [tokens, keyValueHeads, headSize]
};

class Operator {
 public:
  explicit Operator(std::string name) : name_(std::move(name)) {}
  virtual ~Operator() = default;
  const std::string& name() const { return name_; }

  virtual bool hasAdapter() const = 0;
  virtual void bindAdapters() = 0;
  // x [n, H] -> [n, H]. `saved` null: nothing is kept (evaluation, or no backward here).
  virtual at::Tensor forward(const at::Tensor& x, const memory::PieceWeights& weights, const IterationContext& context,
                             std::unique_ptr<SavedActivation>* saved) const = 0;
  // Adds the adapters' gradients; returns the gradient for x [n, H], undefined where not needed. May reuse dy's memory.
  virtual at::Tensor backward(at::Tensor dy, SavedActivation& saved, const memory::PieceWeights& weights,
                              const IterationContext& context, InputGradient inputGradient) const = 0;
  // Forward for generation: one segment that continues what `cache` holds.
  virtual at::Tensor extend(const at::Tensor& x, const memory::PieceWeights& weights, const IterationContext& context,
                            KeyValueCache& cache) const = 0;

 private:
  std::string name_;
};

}  // namespace tidemark::model
