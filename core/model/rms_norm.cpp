#include "core/model/rms_norm.h"

#include <ATen/Functions.h>

namespace tidemark::model {

at::Tensor inverseRms(const at::Tensor& x, double epsilon) {
  return at::mul(x, x).mean(-1, true).add_(epsilon).rsqrt_();
}

at::Tensor rmsNorm(const at::Tensor& x, const at::Tensor& inverse, const at::Tensor& weight) {
  return at::mul(x, inverse).mul_(weight);
}

at::Tensor rmsNormBackward(at::Tensor dy, const at::Tensor& x, const at::Tensor& inverse, const at::Tensor& weight) {
  dy.mul_(weight);
  // With u = x * inverse: dx = inverse * (g - u * mean(g * u)), and u * mean(g * u) = x * inverse^2 * mean(g * x).
  at::Tensor projection = at::mul(dy, x).mean(-1, true);       // [n, 1]
  projection.mul_(inverse).mul_(inverse);
  dy.sub_(at::mul(x, projection));
  return dy.mul_(inverse);
}

}  // namespace tidemark::model
