#include "core/weights/mapped_source.h"

#include <cstring>

namespace tidemark::weights {
namespace {

std::string shapeText(const std::vector<int64_t>& shape) {
  std::string text = "[";
  for (size_t i = 0; i < shape.size(); ++i) text += (i ? ", " : "") + std::to_string(shape[i]);
  return text + "]";
}

// Note: interleaved rows. Hugging Face's RoPE pairs element j of a head with element j + headSize/2; llama.cpp's pairs
// 2j with 2j + 1, and its converter permutes the rows of q_proj and k_proj (and their biases) to match. Row
// half * headSize/2 + j of a head is therefore found at row 2j + half of that head in a GGUF file.
int64_t interleavedRow(int64_t row, int64_t headSize) {
  const int64_t head = row / headSize, within = row % headSize;
  const int64_t half = within / (headSize / 2), pair = within % (headSize / 2);
  return head * headSize + 2 * pair + half;
}

}  // namespace

Status MappedSource::addTensor(const ExpectedTensor& expected, const StoredTensor& stored, const Translation& translation) {
  if (stored.shape != expected.shape)
    return Error{ErrorCode::InvalidInput, subject_,
                 "tensor " + expected.name + ": has the shape " + shapeText(stored.shape) + ", but the configuration asks for " +
                     shapeText(expected.shape)};
  const bool isVector = expected.shape.size() == 1;
  if (isVector && layoutOf(stored.type).blockElements > 1)
    return Error{ErrorCode::Unsupported, subject_,
                 "tensor " + expected.name + ": is a vector stored as " + std::string(layoutOf(stored.type).name) +
                     "; vectors are read from F32, F16 and BF16"};
  places_[expected.name] = {stored, expected.shape[0], isVector ? 1 : expected.shape[1], translation};
  infos_.push_back({expected.name, expected.shape, std::string(layoutOf(stored.type).name), stored.bytes});
  return {};
}

Result<const MappedSource::Place*> MappedSource::placeOf(std::string_view tensor, int64_t rowBegin, int64_t rowEnd) const {
  const auto found = places_.find(tensor);
  if (found == places_.end()) return Error{ErrorCode::NotFound, subject_, "the model has no tensor " + std::string(tensor)};
  const Place& place = found->second;
  if (rowBegin < 0 || rowEnd < rowBegin || rowEnd > place.rows)
    return Error{ErrorCode::InvalidInput, subject_,
                 "tensor " + std::string(tensor) + ": rows " + std::to_string(rowBegin) + " to " + std::to_string(rowEnd) +
                     " were asked for, but it has " + std::to_string(place.rows)};
  return &place;
}

template <typename Take>
void MappedSource::eachStretch(const Place& place, int64_t rowBegin, int64_t rowEnd, const Take& take) const {
  if (place.translation.interleavedHeads == 0) return take(rowBegin, rowEnd - rowBegin);
  const int64_t headSize = place.rows / place.translation.interleavedHeads;
  for (int64_t row = rowBegin; row < rowEnd; ++row) take(interleavedRow(row, headSize), int64_t{1});
}

Status MappedSource::readRows(std::string_view tensor, int64_t rowBegin, int64_t rowEnd, float* out) const {
  TIDEMARK_ASSIGN(const Place* place, placeOf(tensor, rowBegin, rowEnd));
  const RowFormat format = formatOf(*place);
  eachStretch(*place, rowBegin, rowEnd, [&](int64_t row, int64_t count) {
    format.decode(place->stored.data + row * format.rowBytes(), count, out);
    if (place->translation.offset != 0)
      for (int64_t i = 0; i < count * place->columns; ++i) out[i] -= place->translation.offset;
    out += count * place->columns;
  });
  return {};
}

RowFormat MappedSource::storedFormat(std::string_view tensor) const {
  const auto found = places_.find(tensor);
  return found == places_.end() ? RowFormat() : formatOf(found->second);
}

Status MappedSource::copyRows(std::string_view tensor, int64_t rowBegin, int64_t rowEnd, std::byte* out) const {
  TIDEMARK_ASSIGN(const Place* place, placeOf(tensor, rowBegin, rowEnd));
  const int64_t rowBytes = formatOf(*place).rowBytes();
  eachStretch(*place, rowBegin, rowEnd, [&](int64_t row, int64_t count) {
    if (count > 0) std::memcpy(out, place->stored.data + row * rowBytes, static_cast<size_t>(count * rowBytes));
    out += count * rowBytes;
  });
  return {};
}

}  // namespace tidemark::weights
