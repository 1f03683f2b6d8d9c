// Rows in other forms than float32: what the file stores decodes to what is read, and quantising loses no more than it must.
#include "core/weights/row_format.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "core/weights/model_source.h"

namespace tidemark::weights {
namespace {

std::vector<float> normalValues(int64_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal(0, 0.3f);
  std::vector<float> values(static_cast<size_t>(count));
  for (float& value : values) value = normal(random);
  return values;
}

std::vector<float> throughFormat(const RowFormat& format, const std::vector<float>& values) {
  const int64_t rows = static_cast<int64_t>(values.size()) / format.columns();
  std::vector<std::byte> bytes(static_cast<size_t>(rows * format.rowBytes()));
  format.encode(values.data(), rows, bytes.data());
  std::vector<float> decoded(values.size());
  format.decode(bytes.data(), rows, decoded.data());
  return decoded;
}

float largest(const float* values, int64_t count) {
  float most = 0;
  for (int64_t i = 0; i < count; ++i) most = std::max(most, std::abs(values[i]));
  return most;
}

TEST(RowFormat, CountsBytes) {
  EXPECT_EQ(RowFormat::float32(100).rowBytes(), 400);
  EXPECT_EQ(RowFormat::stored(TensorType::Q4_1, 576).rowBytes(), 360);
  EXPECT_EQ(RowFormat::int8(576).rowBytes(), 580);
  EXPECT_EQ(RowFormat::nf4(576).rowBytes(), 8 + 9 + 288);
  EXPECT_EQ(RowFormat::nf4(65).rowBytes(), 8 + 2 + 33);
  EXPECT_TRUE(RowFormat::float32(3).isFloat32());
  EXPECT_FALSE(RowFormat::int8(3).isFloat32());
}

TEST(RowFormat, Int8IsWithinHalfAStepOfTheRowsScale) {
  for (const int64_t columns : {1, 7, 64, 577}) {
    const auto values = normalValues(5 * columns, 3), decoded = throughFormat(RowFormat::int8(columns), values);
    for (int64_t row = 0; row < 5; ++row) {
      const float step = largest(values.data() + row * columns, columns) / 127;
      for (int64_t i = row * columns; i < (row + 1) * columns; ++i)
        ASSERT_LE(std::abs(decoded[static_cast<size_t>(i)] - values[static_cast<size_t>(i)]), 0.5001f * step) << i;
    }
  }
}

// Brute force: no other of the sixteen levels of its block is nearer, and a block's scale is within half a step of its maximum.
TEST(RowFormat, Nf4TakesTheNearestOfSixteenLevels) {
  const double levels[] = {-1.0, -0.6961928009986877, -0.5250730514526367, -0.39491748809814453, -0.28444138169288635,
                           -0.18477343022823334, -0.09105003625154495, 0.0, 0.07958029955625534, 0.16093020141124725,
                           0.24611230194568634, 0.33791524171829224, 0.44070982933044434, 0.5626170039176941,
                           0.7229568362236023, 1.0};
  for (const int64_t columns : {1, 63, 64, 65, 577}) {
    const auto values = normalValues(columns, 11), decoded = throughFormat(RowFormat::nf4(columns), values);
    float least = INFINITY, most = 0;
    for (int64_t begin = 0; begin < columns; begin += 64) {
      const float maximum = largest(values.data() + begin, std::min<int64_t>(64, columns - begin));
      least = std::min(least, maximum);
      most = std::max(most, maximum);
    }
    for (int64_t begin = 0; begin < columns; begin += 64) {
      const int64_t count = std::min<int64_t>(64, columns - begin);
      const float maximum = largest(values.data() + begin, count), step = (most - least) / 255;
      const double scale = largest(decoded.data() + begin, count);  // a largest element is at a level of 1
      ASSERT_NEAR(scale, maximum, 0.5001 * step + 1e-6) << columns;
      for (int64_t i = begin; i < begin + count; ++i) {
        double nearest = INFINITY;
        for (const double level : levels) nearest = std::min(nearest, std::abs(level * scale - values[static_cast<size_t>(i)]));
        ASSERT_NEAR(std::abs(decoded[static_cast<size_t>(i)] - values[static_cast<size_t>(i)]), nearest, 1e-6) << i;
      }
    }
  }
}

TEST(RowFormat, RowsOfZerosStayZero) {
  const std::vector<float> zeros(130, 0.0f);
  EXPECT_EQ(throughFormat(RowFormat::int8(65), zeros), zeros);
  EXPECT_EQ(throughFormat(RowFormat::nf4(65), zeros), zeros);
}

TEST(RowFormat, StoredRowsDecodeToWhatIsRead) {
  const auto opened = ModelSource::open(std::string(TIDEMARK_GOLDEN) + "/weights/tiny-llama-quantised.gguf");
  ASSERT_TRUE(opened.ok()) << opened.error().message();
  const ModelSource& source = **opened;
  for (const TensorInfo& info : source.tensors()) {
    if (info.shape.size() != 2) continue;
    const RowFormat format = formatFor(WeightForm::Stored, source, info.name);
    EXPECT_EQ(format.name(), info.storedType);
    EXPECT_EQ(format.rowBytes() * info.shape[0], static_cast<int64_t>(info.storedBytes));
    const int64_t begin = 3, count = info.shape[0] - 5;
    std::vector<float> read(static_cast<size_t>(count * info.shape[1])), decoded(read.size());
    std::vector<std::byte> bytes(static_cast<size_t>(count * format.rowBytes()));
    ASSERT_TRUE(source.readRows(info.name, begin, begin + count, read.data()).ok());
    ASSERT_TRUE(source.readRowsAs(format, info.name, begin, begin + count, bytes.data()).ok());
    format.decode(bytes.data(), count, decoded.data());
    EXPECT_EQ(read, decoded) << info.name;
  }
  EXPECT_FALSE(source.copyRows("model.norm.weight", 0, 1'000'000, nullptr).ok());
}

}  // namespace
}  // namespace tidemark::weights
