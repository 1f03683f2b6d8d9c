// Products with a blocked frozen weight. See Note: blocked weights and Note: encoded weights in
// core/memory/parameter_store.h.
#pragma once

#include <algorithm>

#include "core/memory/block_sizes.h"
#include "core/memory/parameter_store.h"

namespace tidemark::model {

// Encoded rows [rows, bytes of a row] as float32 [rows, columns].
at::Tensor decodedRows(const at::Tensor& rows, const weights::RowFormat& format);

// How many are decoded for one product.
inline int64_t decodedRowsAtOnce(int64_t columns) {
  return std::max<int64_t>(1, memory::kDecodedBytes / (columns * static_cast<int64_t>(sizeof(float))));
}

// y = x W^T, block by block into column slices of y.   x [n, in], y [n, out]
void multiply(const at::Tensor& x, const memory::BlockedWeight& weight, at::Tensor& y);

// dx = dy W, summed over blocks.   dy [n, out], dx [n, in]
void inputGradient(const at::Tensor& dy, const memory::BlockedWeight& weight, at::Tensor& dx);

}  // namespace tidemark::model
