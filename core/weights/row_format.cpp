#include "core/weights/row_format.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "core/weights/dequantize.h"

namespace tidemark::weights {
namespace {

constexpr int64_t kBlock = 64;  // elements that share a scale in Nf4
constexpr int64_t kNf4Header = 2 * sizeof(float);

// Quantiles of a normal distribution, scaled to [-1, 1] and with an exact zero: appendix E of the QLoRA paper.
constexpr std::array<float, 16> kNf4 = {
    -1.0f,           -0.6961928010f, -0.5250730515f, -0.3949174881f, -0.2844413817f, -0.1847734302f,
    -0.0910500363f,  0.0f,           0.0795802996f,  0.1609302014f,  0.2461123019f,  0.3379152417f,
    0.4407098293f,   0.5626170039f,  0.7229568362f,  1.0f};

int64_t blockCount(int64_t columns) { return (columns + kBlock - 1) / kBlock; }

float loadFloat(const std::byte* at) {
  float value;
  std::memcpy(&value, at, sizeof value);
  return value;
}
void storeFloat(float value, std::byte* at) { std::memcpy(at, &value, sizeof value); }

float largestOf(const float* values, int64_t count) {
  float largest = 0;
  for (int64_t i = 0; i < count; ++i) largest = std::max(largest, std::abs(values[i]));
  return largest;
}

void decodeInt8(const std::byte* row, int64_t columns, float* out) {
  const float scale = loadFloat(row);
  const auto* values = reinterpret_cast<const int8_t*>(row + sizeof(float));
  for (int64_t i = 0; i < columns; ++i) out[i] = scale * static_cast<float>(values[i]);
}

void encodeInt8(const float* row, int64_t columns, std::byte* out) {
  const float scale = largestOf(row, columns) / 127;
  storeFloat(scale, out);
  for (int64_t i = 0; i < columns; ++i) {
    const float steps = scale > 0 ? std::nearbyint(row[i] / scale) : 0.0f;
    out[sizeof(float) + static_cast<size_t>(i)] = static_cast<std::byte>(static_cast<int8_t>(std::clamp(steps, -127.0f, 127.0f)));
  }
}

void decodeNf4(const std::byte* row, int64_t columns, float* out) {
  const float least = loadFloat(row), step = loadFloat(row + sizeof(float));
  const std::byte* maxima = row + kNf4Header;
  const std::byte* nibbles = maxima + blockCount(columns);
  for (int64_t begin = 0; begin < columns; begin += kBlock) {
    const float scale = least + step * static_cast<float>(std::to_integer<int>(maxima[begin / kBlock]));
    std::array<float, 16> values;
    for (size_t i = 0; i < values.size(); ++i) values[i] = kNf4[i] * scale;
    const int64_t end = std::min(columns, begin + kBlock);
    for (int64_t i = begin; i + 1 < end; i += 2) {
      const auto pair = std::to_integer<unsigned>(nibbles[i / 2]);
      out[i] = values[pair & 15];
      out[i + 1] = values[pair >> 4];
    }
    if ((end - begin) % 2 == 1) out[end - 1] = values[std::to_integer<unsigned>(nibbles[(end - 1) / 2]) & 15];
  }
}

unsigned nearestNf4(float value) {
  const auto above = std::lower_bound(kNf4.begin(), kNf4.end(), value);
  if (above == kNf4.begin()) return 0;
  if (above == kNf4.end()) return 15;
  const auto index = static_cast<unsigned>(above - kNf4.begin());
  return *above - value < value - *(above - 1) ? index : index - 1;
}

void encodeNf4(const float* row, int64_t columns, std::byte* out) {
  std::byte* maxima = out + kNf4Header;
  std::byte* nibbles = maxima + blockCount(columns);
  float least = INFINITY, most = 0;
  for (int64_t begin = 0; begin < columns; begin += kBlock) {
    const float largest = largestOf(row + begin, std::min(kBlock, columns - begin));
    least = std::min(least, largest);
    most = std::max(most, largest);
  }
  const float step = (most - least) / 255;
  storeFloat(least, out);
  storeFloat(step, out + sizeof(float));
  std::fill(nibbles, nibbles + (columns + 1) / 2, std::byte{0});
  for (int64_t begin = 0; begin < columns; begin += kBlock) {
    const int64_t end = std::min(columns, begin + kBlock);
    const float steps = step > 0 ? std::nearbyint((largestOf(row + begin, end - begin) - least) / step) : 0.0f;
    const float code = std::clamp(steps, 0.0f, 255.0f), scale = least + step * code;
    maxima[begin / kBlock] = static_cast<std::byte>(static_cast<int>(code));
    for (int64_t i = begin; i < end; ++i) {
      const unsigned nibble = scale > 0 ? nearestNf4(row[i] / scale) : 7;
      nibbles[i / 2] |= static_cast<std::byte>(i % 2 == 0 ? nibble : nibble << 4);
    }
  }
}

}  // namespace

int64_t RowFormat::rowBytes() const {
  switch (kind_) {
    case Kind::Stored: return columns_ / layoutOf(type_).blockElements * layoutOf(type_).blockBytes;
    case Kind::Int8: return static_cast<int64_t>(sizeof(float)) + columns_;
    case Kind::Nf4: return kNf4Header + blockCount(columns_) + (columns_ + 1) / 2;
  }
  return 0;
}

std::string RowFormat::name() const {
  if (kind_ == Kind::Stored) return std::string(layoutOf(type_).name);
  return kind_ == Kind::Int8 ? "int8" : "nf4";
}

void RowFormat::decode(const std::byte* rows, int64_t rowCount, float* out) const {
  if (kind_ == Kind::Stored) return dequantize(type_, rows, rowCount * columns_, out);
  for (int64_t row = 0; row < rowCount; ++row, rows += rowBytes(), out += columns_) {
    if (kind_ == Kind::Int8) decodeInt8(rows, columns_, out);
    else decodeNf4(rows, columns_, out);
  }
}

void RowFormat::encode(const float* rows, int64_t rowCount, std::byte* out) const {
  if (isFloat32()) std::memcpy(out, rows, static_cast<size_t>(rowCount * rowBytes()));
  for (int64_t row = 0; row < rowCount; ++row, rows += columns_, out += rowBytes()) {
    if (kind_ == Kind::Int8) encodeInt8(rows, columns_, out);
    if (kind_ == Kind::Nf4) encodeNf4(rows, columns_, out);
  }
}

}  // namespace tidemark::weights
