#include "core/weights/dequantize.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "core/base/file.h"

namespace tidemark::weights {

// Names the test in ctest's list.
void PrintTo(TensorType type, std::ostream* out) { *out << layoutOf(type).name; }

namespace {

class Dequantize : public testing::TestWithParam<TensorType> {};

// The golden values are what the PyPI package gguf makes of the same bytes.
TEST_P(Dequantize, EqualsTheGgufPackageBitForBit) {
  const TypeLayout& layout = layoutOf(GetParam());
  const std::string path = std::string(TIDEMARK_GOLDEN) + "/weights/dequantize-" + std::string(layout.name) + ".bin";
  auto file = readFile(path);
  ASSERT_TRUE(file.ok()) << file.error().message();
  uint32_t bytes = 0, elements = 0;
  std::memcpy(&bytes, file->data(), 4);
  std::memcpy(&elements, file->data() + 4, 4);
  ASSERT_EQ(file->size(), 8 + bytes + 4ull * elements);
  ASSERT_EQ(bytes, elements / layout.blockElements * layout.blockBytes);
  std::vector<float> expected(elements), values(elements, -99.0f);
  std::memcpy(expected.data(), file->data() + 8 + bytes, 4ull * elements);
  // One byte off: the reader must not rely on alignment.
  std::string shifted = "x" + file->substr(8, bytes);
  dequantize(GetParam(), reinterpret_cast<const std::byte*>(shifted.data()) + 1, elements, values.data());
  for (size_t i = 0; i < elements; ++i) {
    uint32_t have = 0, want = 0;
    std::memcpy(&have, &values[i], 4);
    std::memcpy(&want, &expected[i], 4);
    ASSERT_EQ(have, want) << "element " << i << ": " << values[i] << " instead of " << expected[i];
  }
}

INSTANTIATE_TEST_SUITE_P(Types, Dequantize,
                         testing::Values(TensorType::F32, TensorType::F16, TensorType::BF16, TensorType::Q8_0, TensorType::Q4_0,
                                         TensorType::Q4_1, TensorType::Q5_0, TensorType::Q5_1, TensorType::Q4_K,
                                         TensorType::Q5_K, TensorType::Q6_K),
                         [](const auto& instance) { return std::string(layoutOf(instance.param).name); });

TEST(StoredBytes, CountsBlocks) {
  EXPECT_EQ(storedBytes(TensorType::F32, std::vector<int64_t>{}).value(), 4u);
  EXPECT_EQ(storedBytes(TensorType::Q4_1, std::vector<int64_t>{3, 64}).value(), 3u * 2 * 20);
  EXPECT_EQ(storedBytes(TensorType::Q6_K, std::vector<int64_t>{2, 2, 256}).value(), 4u * 210);
  EXPECT_EQ(storedBytes(TensorType::F16, std::vector<int64_t>{5, 0}).value(), 0u);
}

TEST(StoredBytes, RefusesOverflowAndBrokenRows) {
  const int64_t large = int64_t{1} << 32;
  EXPECT_FALSE(storedBytes(TensorType::F32, std::vector<int64_t>{large, large}).ok());
  EXPECT_FALSE(storedBytes(TensorType::F32, std::vector<int64_t>{large, large / 4}).ok());  // elements fit, bytes do not
  EXPECT_FALSE(storedBytes(TensorType::Q8_0, std::vector<int64_t>{4, 33}).ok());
  EXPECT_FALSE(storedBytes(TensorType::F32, std::vector<int64_t>{-1}).ok());
}

}  // namespace
}  // namespace tidemark::weights
