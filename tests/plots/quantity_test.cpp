#include "plots/quantity.h"

#include <gtest/gtest.h>

namespace tidemark::plots {
namespace {

TEST(Quantity, WritesBytesWithThreeDigits) {
  EXPECT_EQ(bytesText(0), "0 B");
  EXPECT_EQ(bytesText(512), "512 B");
  EXPECT_EQ(bytesText(155.0 * (1 << 20)), "155 MiB");
  EXPECT_EQ(bytesText(1.15 * (1 << 30)), "1.15 GiB");
  EXPECT_EQ(bytesText(1000.0 * (1 << 20)), "0.98 GiB");
  EXPECT_EQ(signedBytesText(-3.4 * (1 << 20)), QStringLiteral("\u22123.40 MiB"));
}

TEST(Quantity, WritesDurationsAndCounts) {
  EXPECT_EQ(durationText(0.34), "340 ms");
  EXPECT_EQ(durationText(12), "12 s");
  EXPECT_EQ(durationText(540), "9 min");
  EXPECT_EQ(durationText(4800), "1 h 20 min");
  EXPECT_EQ(durationText(-1), "unknown");
  EXPECT_EQ(countText(1000), "1,000");
  EXPECT_EQ(countText(135e6), "135 M");
  EXPECT_EQ(decimalText(0.0002, 3), "0.000200");
}

}  // namespace
}  // namespace tidemark::plots
