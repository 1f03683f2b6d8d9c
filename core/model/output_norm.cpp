#include "core/model/output_norm.h"

#include <ATen/Functions.h>

#include "core/model/rms_norm.h"

namespace tidemark::model {

at::Tensor OutputNorm::add(at::Tensor y, const at::Tensor& x) const {
  if (!isThere()) return y.add_(x);
  return rmsNorm(y, inverseRms(y, epsilon_), weight_).add_(x);
}

at::Tensor OutputNorm::gradient(const at::Tensor& dy, const at::Tensor& y) const {
  if (!isThere()) return dy;
  return rmsNormBackward(dy.clone(), y, inverseRms(y, epsilon_), weight_);
}

}  // namespace tidemark::model
