#include "core/base/bytes.h"

#include <gtest/gtest.h>

namespace tidemark {
namespace {

TEST(FormatBytes, ShowsThreeSignificantDigits) {
  EXPECT_EQ(formatBytes(0), "0 B");
  EXPECT_EQ(formatBytes(512), "512 B");
  EXPECT_EQ(formatBytes(1024), "1.00 KiB");
  EXPECT_EQ(formatBytes(1000), "0.98 KiB");
  EXPECT_EQ(formatBytes(155ll << 20), "155 MiB");
  EXPECT_EQ(formatBytes(1234567890), "1.15 GiB");
  EXPECT_EQ(formatBytes(12ll << 30), "12.0 GiB");
  EXPECT_EQ(formatBytes(3ll << 40), "3.00 TiB");
  EXPECT_EQ(formatBytes(-(5ll << 20)), "-5.00 MiB");
}

TEST(ParseBytes, AcceptsWhatPeopleWrite) {
  EXPECT_EQ(parseBytes("123456").value(), 123456);
  EXPECT_EQ(parseBytes("512 B").value(), 512);
  EXPECT_EQ(parseBytes("1.5GiB").value(), 3ll << 29);
  EXPECT_EQ(parseBytes("900 MiB").value(), 900ll << 20);
  EXPECT_EQ(parseBytes("2GB").value(), 2'000'000'000);
  EXPECT_EQ(parseBytes("2g").value(), 2ll << 30);
  EXPECT_EQ(parseBytes("1 tib").value(), 1ll << 40);
  EXPECT_EQ(parseBytes("3kI").value(), 3072);
}

TEST(ParseBytes, RefusesTheRest) {
  for (const char* text : {"", "GiB", "-1", "1.5.2", "1 XB", "12 Gibi", "nan", "inf", "1e400", "99999999 TiB", "0x10", "1 G 2"})
    EXPECT_FALSE(parseBytes(text).ok()) << text;
  EXPECT_EQ(parseBytes("1 XB").error().subject, "1 XB");
}

TEST(FormatDuration, FitsTheSize) {
  EXPECT_EQ(formatDuration(0.42), "0.42 s");
  EXPECT_EQ(formatDuration(42), "42 s");
  EXPECT_EQ(formatDuration(545), "9 min 5 s");
  EXPECT_EQ(formatDuration(4800), "1 h 20 min");
}

}  // namespace
}  // namespace tidemark
