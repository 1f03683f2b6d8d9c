// What an operator adds to its input: the output of its last linear layer, in some models normalised first.
#pragma once

#include <ATen/core/Tensor.h>

namespace tidemark::model {

class OutputNorm {
 public:
  OutputNorm() = default;  // none
  OutputNorm(at::Tensor weight, double epsilon) : weight_(std::move(weight)), epsilon_(epsilon) {}
  bool isThere() const { return weight_.defined(); }

  // x + y, or x + norm(y); overwrites y unless it is normalised. All [n, H].
  at::Tensor add(at::Tensor y, const at::Tensor& x) const;
  // The gradient for y, of which that for the sum is dy [n, H]: dy itself where nothing is normalised.
  at::Tensor gradient(const at::Tensor& dy, const at::Tensor& y) const;

 private:
  at::Tensor weight_;  // [H]
  double epsilon_ = 0;
};

}  // namespace tidemark::model
