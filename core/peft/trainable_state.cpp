#include "core/peft/trainable_state.h"

#include <ATen/Functions.h>

#include "core/memory/ledger.h"

namespace tidemark::peft {

size_t TrainableState::add(std::string name, std::vector<int64_t> shape) {
  entries_.push_back({std::move(name), shape, size_});
  size_ += shape[0] * shape[1];
  return entries_.size() - 1;
}

void TrainableState::allocate(c10::Device device) {
  const memory::SpaceScope space(memory::Space::Trainable);
  const auto options = at::TensorOptions().dtype(at::kFloat).device(device);
  for (at::Tensor* buffer : {&parameters, &gradients, &firstMoment, &secondMoment}) *buffer = at::zeros({size_}, options);
}

at::Tensor TrainableState::view(const at::Tensor& buffer, size_t index) const {
  const Entry& entry = entries_[index];
  return buffer.narrow(0, entry.offset, entry.shape[0] * entry.shape[1]).view(entry.shape);
}

at::Tensor TrainableState::stacked(const at::Tensor& buffer, size_t first, size_t count) const {
  const int64_t columns = entries_[first].shape[1];
  int64_t rows = 0;
  for (size_t i = first; i < first + count; ++i) rows += entries_[i].shape[0];
  return buffer.narrow(0, entries_[first].offset, rows * columns).view({rows, columns});
}

int64_t TrainableState::bytes() const {
  int64_t bytes = 0;
  for (const at::Tensor* buffer : {&parameters, &gradients, &firstMoment, &secondMoment})
    if (buffer->defined()) bytes += static_cast<int64_t>(buffer->nbytes());
  return bytes;
}

}  // namespace tidemark::peft
