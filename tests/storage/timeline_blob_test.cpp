#include "storage/timeline_blob.h"

#include <gtest/gtest.h>

#include <limits>

namespace tidemark::storage {
namespace {

using run::MemoryPoint;

constexpr int64_t kMax = std::numeric_limits<int64_t>::max(), kMin = std::numeric_limits<int64_t>::min();

const std::vector<MemoryPoint> kPoints{{0, true, 1, 2, 3, 4, 5, -6, "gathered"},
                                       {kMax, false, kMax, kMin, kMax, 0, -1, kMin, ""},
                                       {-1, true, kMin, kMax, kMin, kMax, 0, kMax, "gathered"},
                                       {3, false, 0, 0, 0, 0, 0, 0, std::string("nul\0inside", 10)}};

void expectEqual(const std::vector<MemoryPoint>& a, const std::vector<MemoryPoint>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].operatorIndex, b[i].operatorIndex);
    EXPECT_EQ(a[i].isForward, b[i].isForward);
    EXPECT_EQ(a[i].activation, b[i].activation);
    EXPECT_EQ(a[i].staticCache, b[i].staticCache);
    EXPECT_EQ(a[i].dynamicCache, b[i].dynamicCache);
    EXPECT_EQ(a[i].workspace, b[i].workspace);
    EXPECT_EQ(a[i].trainable, b[i].trainable);
    EXPECT_EQ(a[i].resize, b[i].resize);
    EXPECT_EQ(a[i].reason, b[i].reason);
  }
}

}  // namespace

TEST(TimelineBlob, EveryValueSurvives) {
  for (const auto& points : {kPoints, std::vector<MemoryPoint>{}}) {
    const auto decoded = decodePoints(encodePoints(points));
    ASSERT_TRUE(decoded.ok()) << decoded.error().message();
    expectEqual(*decoded, points);
  }
}

TEST(TimelineBlob, FormatIsTheOneInTheSchemaDocument) {
  // version, 2 points, 1 reason, "ab", flags; then operators 1 2, activation 64 63, and five columns of zeros
  const std::string expected("\x01\x02\x01\x02" "ab" "\x01\x00" "\x02\x02" "\x80\x01\x01" "\0\0\0\0\0\0\0\0\0\0", 23);
  EXPECT_EQ(encodePoints({{1, true, 64, 0, 0, 0, 0, 0, "ab"}, {2, false, 63, 0, 0, 0, 0, 0, "ab"}}), expected);
}

TEST(TimelineBlob, DamageIsNoticedOrHarmless) {
  const std::string blob = encodePoints(kPoints);
  for (size_t size = 0; size < blob.size(); ++size) EXPECT_FALSE(decodePoints(blob.substr(0, size)).ok()) << size;
  EXPECT_FALSE(decodePoints(blob + "x").ok());
  EXPECT_FALSE(decodePoints("\x02" + blob.substr(1)).ok());
  EXPECT_FALSE(decodePoints(std::string("\x01\xff\xff\xff\xff\xff\xff\xff\xff\x7f\x01", 11)).ok());
  for (size_t at = 0; at < blob.size(); ++at) {
    std::string damaged = blob;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x55);
    const auto decoded = decodePoints(damaged);
    EXPECT_LE(decoded.ok() ? decoded->size() : 0, blob.size());
  }
}

TEST(TimelineBlob, IsSmallForATypicalTimeline) {
  std::vector<MemoryPoint> points;
  for (int64_t i = 0; i < 800; ++i)
    points.push_back({i, i < 400, i << 20, 1 << 28, (i % 50) << 20, 4 << 20, 1 << 24, 1 << 20, i % 2 ? "gathered" : ""});
  EXPECT_LT(encodePoints(points).size(), 16000u);
}

}  // namespace tidemark::storage
