#include "core/weights/dequantize.h"

#include <bit>
#include <cstring>

namespace tidemark::weights {
namespace {

static_assert(std::endian::native == std::endian::little, "weights are read as they lie in the file");

template <typename T>
inline T load(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

// Without branches, so that loops over it vectorise; subnormal halves go through an integer, which is exact.
inline float fromHalf(uint16_t half) {
  const uint32_t magnitude = half & 0x7fffu;
  const uint32_t rebias = 112u << 23;  // 127 - 15
  const uint32_t normal = (magnitude << 13) + rebias + (magnitude >= 0x7c00u ? rebias : 0u);
  const uint32_t subnormal = std::bit_cast<uint32_t>(static_cast<float>(static_cast<int32_t>(magnitude)) * 0x1p-24f);
  const uint32_t sign = (half & 0x8000u) << 16;
  return std::bit_cast<float>(sign | (magnitude < 0x400u ? subnormal : normal));
}

inline float halfAt(const std::byte* at) { return fromHalf(load<uint16_t>(at)); }
inline int byteAt(const std::byte* at) { return std::to_integer<int>(*at); }

void fromF16(const std::byte* in, int64_t elements, float* out) {
  for (int64_t i = 0; i < elements; ++i) out[i] = fromHalf(load<uint16_t>(in + 2 * i));
}

void fromBf16(const std::byte* in, int64_t elements, float* out) {
  for (int64_t i = 0; i < elements; ++i)
    out[i] = std::bit_cast<float>(static_cast<uint32_t>(load<uint16_t>(in + 2 * i)) << 16);
}

// Q8_0: half scale, 32 signed bytes.
void q8Block(const std::byte* in, float* out) {
  const float scale = halfAt(in);
  for (int i = 0; i < 32; ++i) out[i] = static_cast<float>(static_cast<int8_t>(byteAt(in + 2 + i))) * scale;
}

// Q4_0: half scale, 16 bytes of nibbles (low ones first), minus 8.
void q40Block(const std::byte* in, float* out) {
  const float scale = halfAt(in);
  for (int i = 0; i < 16; ++i) {
    out[i] = scale * static_cast<float>((byteAt(in + 2 + i) & 15) - 8);
    out[i + 16] = scale * static_cast<float>((byteAt(in + 2 + i) >> 4) - 8);
  }
}

// Q4_1: half scale, half minimum, nibbles.
void q41Block(const std::byte* in, float* out) {
  const float scale = halfAt(in), minimum = halfAt(in + 2);
  for (int i = 0; i < 16; ++i) {
    out[i] = scale * static_cast<float>(byteAt(in + 4 + i) & 15) + minimum;
    out[i + 16] = scale * static_cast<float>(byteAt(in + 4 + i) >> 4) + minimum;
  }
}

// Q5_0: half scale, 32 fifth bits, nibbles, minus 16.
void q50Block(const std::byte* in, float* out) {
  const float scale = halfAt(in);
  const auto high = load<uint32_t>(in + 2);
  for (int i = 0; i < 16; ++i) {
    const int low = (byteAt(in + 6 + i) & 15) | static_cast<int>(((high >> i) & 1u) << 4);
    const int top = (byteAt(in + 6 + i) >> 4) | static_cast<int>(((high >> (i + 16)) & 1u) << 4);
    out[i] = scale * static_cast<float>(low - 16);
    out[i + 16] = scale * static_cast<float>(top - 16);
  }
}

// Q5_1: half scale, half minimum, 32 fifth bits, nibbles.
void q51Block(const std::byte* in, float* out) {
  const float scale = halfAt(in), minimum = halfAt(in + 2);
  const auto high = load<uint32_t>(in + 4);
  for (int i = 0; i < 16; ++i) {
    const int low = (byteAt(in + 8 + i) & 15) | static_cast<int>(((high >> i) & 1u) << 4);
    const int top = (byteAt(in + 8 + i) >> 4) | static_cast<int>(((high >> (i + 16)) & 1u) << 4);
    out[i] = scale * static_cast<float>(low) + minimum;
    out[i + 16] = scale * static_cast<float>(top) + minimum;
  }
}

struct ScaleAndMinimum {
  float scale, minimum;
};

// The 12 bytes in which Q4_K and Q5_K pack eight 6-bit scales and eight 6-bit minima.
ScaleAndMinimum subBlock(const std::byte* in, int index) {
  const float scale = halfAt(in), minimum = halfAt(in + 2);
  const std::byte* packed = in + 4;
  int six, sixMinimum;
  if (index < 4) {
    six = byteAt(packed + index) & 63;
    sixMinimum = byteAt(packed + index + 4) & 63;
  } else {
    six = (byteAt(packed + index + 4) & 15) | ((byteAt(packed + index - 4) >> 6) << 4);
    sixMinimum = (byteAt(packed + index + 4) >> 4) | ((byteAt(packed + index) >> 6) << 4);
  }
  return {scale * static_cast<float>(six), minimum * static_cast<float>(sixMinimum)};
}

// Q4_K: two halves, 12 bytes of scales, 128 bytes of nibbles: the low ones of 32 bytes, then the high ones.
void q4kBlock(const std::byte* in, float* out) {
  const std::byte* nibbles = in + 16;
  for (int pair = 0; pair < 4; ++pair, nibbles += 32, out += 64) {
    const ScaleAndMinimum low = subBlock(in, 2 * pair), top = subBlock(in, 2 * pair + 1);
    for (int i = 0; i < 32; ++i) out[i] = low.scale * static_cast<float>(byteAt(nibbles + i) & 15) - low.minimum;
    for (int i = 0; i < 32; ++i) out[i + 32] = top.scale * static_cast<float>(byteAt(nibbles + i) >> 4) - top.minimum;
  }
}

// Q5_K: as Q4_K, with 32 bytes of fifth bits (one bit of each byte for a sub-block) before the nibbles.
void q5kBlock(const std::byte* in, float* out) {
  const std::byte* fifth = in + 16;
  const std::byte* nibbles = in + 48;
  for (int pair = 0; pair < 4; ++pair, nibbles += 32, out += 64) {
    const ScaleAndMinimum low = subBlock(in, 2 * pair), top = subBlock(in, 2 * pair + 1);
    for (int i = 0; i < 32; ++i) {
      const int value = (byteAt(nibbles + i) & 15) | (((byteAt(fifth + i) >> (2 * pair)) & 1) << 4);
      out[i] = low.scale * static_cast<float>(value) - low.minimum;
    }
    for (int i = 0; i < 32; ++i) {
      const int value = (byteAt(nibbles + i) >> 4) | (((byteAt(fifth + i) >> (2 * pair + 1)) & 1) << 4);
      out[i + 32] = top.scale * static_cast<float>(value) - top.minimum;
    }
  }
}

// Q6_K: 128 bytes of low nibbles, 64 bytes of upper bit pairs, 16 signed scales, half scale; minus 32.
void q6kBlock(const std::byte* in, float* out) {
  const std::byte* scales = in + 192;
  const float scale = halfAt(in + 208);
  for (int half = 0; half < 2; ++half) {
    const std::byte* low = in + 64 * half;
    const std::byte* upper = in + 128 + 32 * half;
    for (int quarter = 0; quarter < 4; ++quarter) {
      const std::byte* nibbles = low + 32 * (quarter & 1);
      const int nibbleShift = quarter < 2 ? 0 : 4;
      for (int group = 0; group < 2; ++group) {
        const auto small = static_cast<int8_t>(byteAt(scales + 8 * half + 2 * quarter + group));
        const float groupScale = scale * static_cast<float>(small);
        for (int i = 16 * group; i < 16 * group + 16; ++i) {
          const int value = ((byteAt(nibbles + i) >> nibbleShift) & 15) | (((byteAt(upper + i) >> (2 * quarter)) & 3) << 4);
          out[128 * half + 32 * quarter + i] = groupScale * static_cast<float>(value - 32);
        }
      }
    }
  }
}

template <void (*Block)(const std::byte*, float*)>
void eachBlock(TensorType type, const std::byte* in, int64_t elements, float* out) {
  const TypeLayout& layout = layoutOf(type);
  for (int64_t i = 0; i < elements; i += layout.blockElements, in += layout.blockBytes) Block(in, out + i);
}

}  // namespace

void dequantize(TensorType type, const std::byte* stored, int64_t elements, float* out) {
  switch (type) {
    case TensorType::F32:
      if (elements > 0) std::memcpy(out, stored, static_cast<size_t>(elements) * sizeof(float));
      return;
    case TensorType::F16: return fromF16(stored, elements, out);
    case TensorType::BF16: return fromBf16(stored, elements, out);
    case TensorType::Q4_0: return eachBlock<q40Block>(type, stored, elements, out);
    case TensorType::Q4_1: return eachBlock<q41Block>(type, stored, elements, out);
    case TensorType::Q5_0: return eachBlock<q50Block>(type, stored, elements, out);
    case TensorType::Q5_1: return eachBlock<q51Block>(type, stored, elements, out);
    case TensorType::Q8_0: return eachBlock<q8Block>(type, stored, elements, out);
    case TensorType::Q4_K: return eachBlock<q4kBlock>(type, stored, elements, out);
    case TensorType::Q5_K: return eachBlock<q5kBlock>(type, stored, elements, out);
    case TensorType::Q6_K: return eachBlock<q6kBlock>(type, stored, elements, out);
  }
}

}  // namespace tidemark::weights
