// All trainable values of a rank in flat buffers: parameters, gradients and the optimizer's two moments. One all-reduce
// and one optimizer pass serve every adapter; adapters hold views.
#pragma once

#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

namespace tidemark::peft {

class TrainableState {
 public:
  struct Entry {
    std::string name;            // PEFT's key without the prefix "base_model.model."
    std::vector<int64_t> shape;
    int64_t offset = 0;
  };
  // Reserves a matrix; call before allocate(). Returns its index.
  size_t add(std::string name, std::vector<int64_t> shape);
  void allocate(c10::Device device);  // zeros

  at::Tensor parameter(size_t index) const { return view(parameters, index); }
  at::Tensor gradient(size_t index) const { return view(gradients, index); }
  // Matrices `first`, `first` + 1, ... with equal second dimension, seen as one.
  at::Tensor stacked(const at::Tensor& buffer, size_t first, size_t count) const;

  const std::vector<Entry>& entries() const { return entries_; }
  int64_t parameterCount() const { return size_; }
  int64_t bytes() const;

  at::Tensor parameters, gradients, firstMoment, secondMoment;  // [parameterCount]

 private:
  at::Tensor view(const at::Tensor& buffer, size_t index) const;
  std::vector<Entry> entries_;
  int64_t size_ = 0;
};

}  // namespace tidemark::peft
