#include "core/model/blocked_linear.h"

#include <ATen/Functions.h>
#include <ATen/Parallel.h>

namespace tidemark::model {

at::Tensor decodedRows(const at::Tensor& rows, const weights::RowFormat& format) {
  at::Tensor values = at::empty({rows.size(0), format.columns()}, at::kFloat);
  const auto* in = static_cast<const std::byte*>(rows.const_data_ptr());
  float* out = values.mutable_data_ptr<float>();
  at::parallel_for(0, rows.size(0), 16, [&](int64_t begin, int64_t end) {
    format.decode(in + begin * format.rowBytes(), end - begin, out + begin * format.columns());
  });
  return values;
}

namespace {

// Calls use(first row, rows as float32) for every block, or for parts of it where it is encoded and large.
template <typename Use>
void eachFloatBlock(const memory::BlockedWeight& weight, const Use& use) {
  for (const memory::RowBlock& block : weight) {
    if (!block.format) {
      use(block.rowBegin, block.weight);
      continue;
    }
    const int64_t rows = block.weight.size(0), atOnce = decodedRowsAtOnce(block.format->columns());
    for (int64_t begin = 0; begin < rows; begin += atOnce)
      use(block.rowBegin + begin, decodedRows(block.weight.narrow(0, begin, std::min(atOnce, rows - begin)), *block.format));
  }
}

}  // namespace

void multiply(const at::Tensor& x, const memory::BlockedWeight& weight, at::Tensor& y) {
  eachFloatBlock(weight, [&](int64_t rowBegin, const at::Tensor& w) {
    at::Tensor slice = y.narrow(1, rowBegin, w.size(0));
    at::mm_out(slice, x, w.t());
  });
}

void inputGradient(const at::Tensor& dy, const memory::BlockedWeight& weight, at::Tensor& dx) {
  bool isFirst = true;
  eachFloatBlock(weight, [&](int64_t rowBegin, const at::Tensor& w) {
    const at::Tensor slice = dy.narrow(1, rowBegin, w.size(0));
    if (isFirst) at::mm_out(dx, slice, w);
    else dx.addmm_(slice, w);
    isFirst = false;
  });
}

}  // namespace tidemark::model
