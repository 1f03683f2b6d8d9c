// Low-rank adapters (Hu et al. 2021) on the matrices of one weight group: y += scale * drop(x) A^T B^T, for each adapted
// matrix on its own columns of y. The matrices of a group share their input, so their A are one product.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <vector>

#include "core/peft/trainable_state.h"

namespace tidemark::peft {

struct LoraSettings {
  int64_t r = 8;
  double alpha = 16;
  double dropout = 0;
  std::vector<std::string> targets;  // module names: "q_proj", ...
  bool targetsModule(const std::string& module) const;
};

// Identifies one use of a group's dropout, so that backward draws the forward's mask again instead of keeping it.
using DropoutSeed = uint64_t;

class LoraGroup {
 public:
  struct Matrix {
    std::string module;     // "model.layers.0.self_attn.q_proj"
    int64_t rowBegin = 0;   // its columns in y
    int64_t rows = 0;
  };
  // Reserves A [r, in] and B [rows, r] of each targeted matrix in `state`.
  LoraGroup(const std::vector<Matrix>& matrices, int64_t columns, const LoraSettings& settings, TrainableState& state);

  bool isEmpty() const { return parts_.empty(); }
  // Call after state.allocate(): takes the views.
  void bind();

  // y += scale * drop(x) A^T B^T; returns h = drop(x) A^T [n, sum of r], which backward needs. Undefined when empty.
  at::Tensor forward(const at::Tensor& x, at::Tensor& y, DropoutSeed seed) const;
  // Adds to the gradients of A and B, and to dx where it is defined.
  void backward(const at::Tensor& x, const at::Tensor& dy, const at::Tensor& h, at::Tensor dx, DropoutSeed seed) const;

 private:
  struct Part {
    Matrix matrix;
    size_t b = 0;                  // entry in the state
    int64_t columnBegin = 0;       // its columns in h
    at::Tensor weightB, gradientB;
  };
  at::Tensor mask(const at::Tensor& x, DropoutSeed seed) const;

  std::vector<Part> parts_;
  TrainableState& state_;
  size_t firstA_ = 0;
  int64_t r_;
  double scale_, dropout_;
  at::Tensor weightA_, gradientA_;  // [sum of r, in]
};

// A uniform in +-1/sqrt(in) (Kaiming with a = sqrt(5), as PEFT does), B zero; drawn from `seed` alone.
void initialiseLora(TrainableState& state, uint64_t seed);

}  // namespace tidemark::peft
