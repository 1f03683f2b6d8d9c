// The prepared file: its hash, and that nothing damaged is accepted.
#include "core/base/random.h"
#include "core/base/sha256.h"
#include "core/text/prepared_file.h"
#include "tests/text/dataset_fixture.h"

namespace tidemark::text {
namespace {

std::string sha256Of(const std::string& text) {
  Sha256 hash;
  hash.add(std::span<const char>(text));
  return toHex(hash.finish());
}

TEST(Sha256, MatchesTheStandardsExamples) {  // FIPS 180-4 examples, NIST
  EXPECT_EQ(sha256Of(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256Of("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256Of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sha256Of(std::string(1'000'000, 'a')), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, PiecesMakeNoDifference) {
  const std::string text(1000, 'q');
  for (size_t cut = 0; cut < 200; ++cut) {
    Sha256 hash;
    hash.add(std::span<const char>(text.data(), cut));
    hash.add(std::span<const char>(text.data() + cut, text.size() - cut));
    EXPECT_EQ(toHex(hash.finish()), sha256Of(text));
  }
}

class PreparedFileTest : public DatasetTest {
 protected:
  void SetUp() override {
    DatasetTest::SetUp();
    ASSERT_TRUE(prepare(kTwoTurns + kTwoTurns).ok());
    content_ = *readFile(target());
  }
  bool opens(const std::string& content) {
    write("prepared.bin", content);
    return PreparedDataset::open(target()).ok();
  }
  std::string content_;
};

TEST_F(PreparedFileTest, EveryFlippedByteIsFound) {
  ASSERT_TRUE(opens(content_));
  const size_t index = sizeof(PreparedHeader), lineOfRow0 = index + 24, lineOfRow1 = index + 56;
  for (size_t at = 0; at < content_.size(); ++at) {
    const bool isLine = (at >= lineOfRow0 && at < lineOfRow0 + 8) || (at >= lineOfRow1 && at < lineOfRow1 + 8);
    const bool isVocabularySize = at >= 16 && at < 24;  // neither is part of the hash
    if (isLine || isVocabularySize) continue;
    std::string damaged = content_;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x41);
    EXPECT_FALSE(opens(damaged)) << "byte " << at;
  }
}

TEST_F(PreparedFileTest, EveryTruncationIsFound) {
  for (size_t length = 0; length < content_.size(); ++length) ASSERT_FALSE(opens(content_.substr(0, length))) << length;
  EXPECT_FALSE(opens(content_ + "x"));
}

TEST_F(PreparedFileTest, RandomCountsDoNotReachOutside) {
  SplitMix64 random(3);
  for (int round = 0; round < 500; ++round) {
    std::string damaged = content_;
    for (size_t at = 24; at < sizeof(PreparedHeader) - 32; at += 8) {
      if (random.below(2) == 0) continue;
      const uint64_t value = random.next() >> random.below(64);
      std::memcpy(damaged.data() + at, &value, sizeof value);
    }
    if (damaged != content_) {
      EXPECT_FALSE(opens(damaged));
    }
  }
}

}  // namespace
}  // namespace tidemark::text
