// Root mean square normalisation (Zhang and Sennrich 2019): y = x / sqrt(mean(x^2) + eps) * w.
#pragma once

#include <ATen/core/Tensor.h>

namespace tidemark::model {

at::Tensor inverseRms(const at::Tensor& x, double epsilon);                                             // [n, H] -> [n, 1]
at::Tensor rmsNorm(const at::Tensor& x, const at::Tensor& inverse, const at::Tensor& weight);           // -> [n, H]
// The gradient for x; overwrites dy.
at::Tensor rmsNormBackward(at::Tensor dy, const at::Tensor& x, const at::Tensor& inverse, const at::Tensor& weight);

}  // namespace tidemark::model
