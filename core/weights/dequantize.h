// Turns stored elements into float32, block by block. Not responsible for bounds: the caller checked the tensor.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/weights/tensor_type.h"

namespace tidemark::weights {

// `elements` is a multiple of the type's block; `stored` needs no alignment. Formulas and bit layouts: ggml-quants.
void dequantize(TensorType type, const std::byte* stored, int64_t elements, float* out);

}  // namespace tidemark::weights
