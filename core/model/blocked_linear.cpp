#include "core/model/blocked_linear.h"

#include <ATen/Functions.h>

namespace tidemark::model {

void multiply(const at::Tensor& x, const memory::BlockedWeight& weight, at::Tensor& y) {
  for (const memory::RowBlock& block : weight) {
    at::Tensor slice = y.narrow(1, block.rowBegin, block.weight.size(0));
    at::mm_out(slice, x, block.weight.t());
  }
}

void inputGradient(const at::Tensor& dy, const memory::BlockedWeight& weight, at::Tensor& dx) {
  bool isFirst = true;
  for (const memory::RowBlock& block : weight) {
    const at::Tensor slice = dy.narrow(1, block.rowBegin, block.weight.size(0));
    if (isFirst) at::mm_out(dx, slice, block.weight);
    else dx.addmm_(slice, block.weight);
    isFirst = false;
  }
}

}  // namespace tidemark::model
