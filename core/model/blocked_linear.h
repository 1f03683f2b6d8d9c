// Products with a blocked frozen weight. See Note: blocked weights in core/memory/parameter_store.h.
#pragma once

#include "core/memory/parameter_store.h"

namespace tidemark::model {

// y = x W^T, block by block into column slices of y.   x [n, in], y [n, out]
void multiply(const at::Tensor& x, const memory::BlockedWeight& weight, at::Tensor& y);

// dx = dy W, summed over blocks.   dy [n, out], dx [n, in]
void inputGradient(const at::Tensor& dy, const memory::BlockedWeight& weight, at::Tensor& dx);

}  // namespace tidemark::model
