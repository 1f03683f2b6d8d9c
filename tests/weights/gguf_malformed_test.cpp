// Malformed GGUF files: each must be refused with an error that names the file and the field.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/file.h"
#include "core/weights/gguf.h"
#include "tests/base/temporary_folder.h"
#include "tests/weights/raw_files.h"

namespace tidemark::weights {
namespace {

using namespace tidemark::test;
using testing::HasSubstr;

// A good file: a key of each family and two tensors of 8 float32, 32 bytes each.
RawGguf good() {
  RawGguf made;
  made.key(ggufKey("general.architecture", kString, ggufText("llama")));
  made.key(ggufKey("count", kU32, u32(7)));
  made.tensor(ggufTensor("a", {8}, 0, 0)).tensor(ggufTensor("b", {4, 2}, 0, 32));
  made.data.assign(64, '\x3f');
  return made;
}

std::string withKey(const std::string& entry) { return good().key(entry).bytes(); }

std::string withTensor(const std::string& entry) { return good().tensor(entry).bytes(); }

std::string withCounts(uint64_t tensors, uint64_t keys) {
  RawGguf made = good();
  made.tensorCount = tensors;
  made.keyCount = keys;
  return made.bytes();
}

std::string withVersion(uint32_t version) {
  RawGguf made = good();
  made.version = version;
  return made.bytes();
}

std::string withAlignment(uint32_t alignment) { return withKey(ggufKey("general.alignment", kU32, u32(alignment))); }

std::string arrayValue(uint32_t type, uint64_t count, const std::string& elements) { return u32(type) + u64(count) + elements; }

struct Case {
  const char* name;
  std::string bytes;
  const char* message;  // a part of it
};

// Names the test in ctest's list.
void PrintTo(const Case& spoilt, std::ostream* out) { *out << spoilt.name; }

constexpr uint64_t kHuge = uint64_t{1} << 62;

std::vector<Case> headerCases() {
  RawGguf otherMagic = good();
  otherMagic.magic = "GGML";
  return {
      {"Empty", "", "magic"},
      {"ShorterThanMagic", "GG", "magic"},
      {"OtherMagic", otherMagic.bytes(), "not a GGUF file"},
      {"Zip", std::string("PK\3\4") + std::string(60, '\0'), "not a GGUF file"},
      {"MagicOnly", "GGUF", "version"},
      {"Version0", withVersion(0), "version"},
      {"Version1", withVersion(1), "version"},
      {"Version4", withVersion(4), "version"},
      {"BigEndian", withVersion(0x03000000u), "big-endian"},
      {"NoCounts", "GGUF" + u32(3), "tensor count"},
      {"NoKeyCount", "GGUF" + u32(3) + u64(0), "metadata count"},
      {"TensorCountHuge", withCounts(~0ull, 2), "tensor count"},
      {"TensorCountWraps", withCounts(~0ull / 33 + 2, 2), "tensor count"},
      {"KeyCountHuge", withCounts(2, ~0ull), "metadata count"},
      {"OneTensorTooMany", withCounts(3, 2), "tensor 2"},
      {"OneKeyTooMany", withCounts(2, 3), "name of tensor 0"},
  };
}

std::vector<Case> keyCases() {
  return {
      {"KeyEmpty", withKey(ggufKey("", kU32, u32(1))), "metadata key 2"},
      {"KeyTwice", withKey(ggufKey("count", kU32, u32(1))), "count (at byte"},
      {"KeyLengthHuge", withKey(u64(~0ull) + "k"), "metadata key 2"},
      {"KeyLengthWraps", withKey(u64(~0ull - 7) + "k"), "metadata key 2"},
      {"KeyTooLong", withKey(ggufKey(std::string(65536, 'k'), kU32, u32(1))), "at most 65535"},
      {"KeyNotUtf8", withKey(ggufKey("\xc0\xaf", kU32, u32(1))), "UTF-8"},
      {"KeyWithNul", withKey(ggufKey(std::string("a\0b", 3), kU32, u32(1))), "UTF-8"},
      {"ValueTypeUnknown", withKey(ggufKey("k", 13, u32(1))), "k (at byte"},
      {"ValueTypeHuge", withKey(ggufKey("k", 0xffffffffu, u32(1))), "unknown value type 4294967295"},
      {"StringLengthHuge", withKey(ggufKey("k", kString, u64(~0ull))), "k (at byte"},
      {"StringLengthBeyondFile", withKey(ggufKey("k", kString, u64(1000) + "short")), "k (at byte"},
      {"BoolIsTwo", withKey(ggufKey("k", kBool, "\2")), "neither 0 nor 1"},
      {"BoolArrayHoldsThree", withKey(ggufKey("k", kArray, arrayValue(kBool, 3, std::string("\1\0\3", 3)))), "neither 0 nor 1"},
      {"ArrayOfArrays", withKey(ggufKey("k", kArray, arrayValue(kArray, 1, arrayValue(kU32, 1, u32(1))))), "array of arrays"},
      {"ArrayTypeUnknown", withKey(ggufKey("k", kArray, arrayValue(99, 1, u32(1)))), "unknown value type 99"},
      {"ArrayCountHuge", withKey(ggufKey("k", kArray, arrayValue(kU32, ~0ull, u32(1)))), "k (at byte"},
      {"ArrayCountTimesSizeWraps", withKey(ggufKey("k", kArray, arrayValue(kU64, (1ull << 61) + 1, u64(1)))), "k (at byte"},
      {"ArrayBeyondFile", withKey(ggufKey("k", kArray, arrayValue(kF32, 4000, u32(1)))), "more than the file can hold"},
      {"StringArrayCountHuge", withKey(ggufKey("k", kArray, arrayValue(kString, kHuge, ggufText("x")))), "k (at byte"},
      {"StringArrayElementTooLong", withKey(ggufKey("k", kArray, arrayValue(kString, 2, ggufText("x") + u64(5000) + "y"))), "k (at byte"},
      {"AlignmentZero", withAlignment(0), "general.alignment"},
      {"AlignmentOne", withAlignment(1), "general.alignment"},
      {"AlignmentNotPowerOfTwo", withAlignment(48), "general.alignment"},
      {"AlignmentHuge", withAlignment(1u << 31), "general.alignment"},
      {"AlignmentIsText", withKey(ggufKey("general.alignment", kString, ggufText("32"))), "general.alignment"},
      {"AlignmentIs64Bit", withKey(ggufKey("general.alignment", kU64, u64(32))), "general.alignment"},
      {"AlignmentIsArray", withKey(ggufKey("general.alignment", kArray, arrayValue(kU32, 1, u32(32)))), "general.alignment"},
  };
}

std::vector<Case> tensorCases() {
  RawGguf cut = good();
  cut.data.resize(63);
  RawGguf noData = good();
  noData.data.clear();
  const std::string whole = good().bytes();
  return {
      {"NameEmpty", withTensor(ggufTensor("", {8}, 0, 64)), "name of tensor 2"},
      {"NameTwice", withTensor(ggufTensor("a", {8}, 0, 64)), "tensor a"},
      {"NameTooLong", withTensor(ggufTensor(std::string(256, 'n'), {8}, 0, 64)), "name of tensor 2"},
      {"NameNotUtf8", withTensor(ggufTensor("\xff", {8}, 0, 64)), "name of tensor 2"},
      {"NameLengthHuge", withTensor(u64(~0ull - 3) + std::string(40, 'n')), "name of tensor 2"},
      {"NoDimensions", withTensor(ggufTensor("c", {}, 0, 64)), "tensor c"},
      {"FiveDimensions", withTensor(ggufTensor("c", {1, 1, 1, 1, 1}, 0, 64)), "5 dimensions"},
      {"DimensionsHuge", withTensor(ggufText("c") + u32(0xffffffffu) + std::string(40, '\0')), "4294967295 dimensions"},
      {"DimensionZero", withTensor(ggufTensor("c", {8, 0}, 0, 64)), "dimension 1 is 0"},
      {"DimensionNegative", withTensor(ggufTensor("c", {~0ull}, 0, 64)), "dimension 0"},
      {"ProductWrapsToZero", withTensor(ggufTensor("c", {1ull << 32, 1ull << 32}, 0, 64)), "overflows"},
      {"ProductWrapsToSmall", withTensor(ggufTensor("c", {(1ull << 32) + 1, 1ull << 32, 1}, 0, 64)), "overflows"},
      {"BytesOverflow", withTensor(ggufTensor("c", {1ull << 31, 1ull << 31}, 0, 64)), "overflows"},
      {"TypeUnknown", withTensor(ggufTensor("c", {8}, 999, 64)), "unknown tensor type 999"},
      {"TypeGivenUp", withTensor(ggufTensor("c", {8}, 4, 64)), "unknown tensor type 4"},
      {"TypeNotReadable", withTensor(ggufTensor("c", {256}, 23, 64)), "IQ4_XS"},
      {"RowNotWholeBlocks", withTensor(ggufTensor("c", {33, 32}, 8, 64)), "multiple of the 32"},
      {"RowNotWholeSuperBlocks", withTensor(ggufTensor("c", {128, 2}, 14, 64)), "multiple of the 256"},
      {"OffsetNotAligned", withTensor(ggufTensor("c", {1}, 0, 4)), "alignment"},
      {"OffsetBeyondFile", withTensor(ggufTensor("c", {8}, 0, 4096)), "beyond the end of the file"},
      {"OffsetAtTheEnd", withTensor(ggufTensor("c", {8}, 0, 64)), "beyond the end of the file"},
      {"OffsetPlusSizeWraps", withTensor(ggufTensor("c", {8}, 0, ~0ull - 31)), "beyond the end of the file"},
      {"Overlap", withTensor(ggufTensor("c", {4}, 0, 32)), "overlaps"},
      {"OverlapFromBelow", good().tensor(ggufTensor("c", {16}, 0, 0)).bytes(), "overlaps"},
      {"DataCut", cut.bytes(), "tensor b"},
      {"NoData", noData.bytes(), "beyond the end of the file"},
      {"CutInTensorTable", whole.substr(0, whole.size() - 64 - 40), "cut off"},
  };
}

class MalformedGguf : public testing::TestWithParam<Case> {};

TEST_P(MalformedGguf, IsRefusedWithFileAndField) {
  const TemporaryFolder folder;
  const auto path = folder.write("bad.gguf", GetParam().bytes);
  const auto file = GgufFile::open(path);
  ASSERT_FALSE(file.ok()) << "was accepted";
  EXPECT_EQ(file.error().subject, path.string());
  EXPECT_THAT(file.error().detail, HasSubstr(GetParam().message));
}

const auto kCaseName = [](const auto& info) { return std::string(info.param.name); };
INSTANTIATE_TEST_SUITE_P(Header, MalformedGguf, testing::ValuesIn(headerCases()), kCaseName);
INSTANTIATE_TEST_SUITE_P(Keys, MalformedGguf, testing::ValuesIn(keyCases()), kCaseName);
INSTANTIATE_TEST_SUITE_P(Tensors, MalformedGguf, testing::ValuesIn(tensorCases()), kCaseName);

TEST(MalformedGgufFiles, TheUnspoiltFileIsAccepted) {
  const TemporaryFolder folder;
  const auto file = GgufFile::open(folder.write("good.gguf", good().bytes()));
  ASSERT_TRUE(file.ok()) << file.error().message();
}

// A file cut anywhere is refused, and never read beyond its end (the address sanitizer watches).
TEST(MalformedGgufFiles, EveryCutIsRefused) {
  const TemporaryFolder folder;
  const std::string whole = good().bytes();
  for (size_t length = 0; length < whole.size(); ++length)
    ASSERT_FALSE(GgufFile::open(folder.write("cut.gguf", whole.substr(0, length))).ok()) << length << " bytes were accepted";
}

// No single wrong byte in the header may crash; many stay well formed.
TEST(MalformedGgufFiles, AnySingleWrongByteIsSurvived) {
  const TemporaryFolder folder;
  const std::string whole = good().bytes();
  int refused = 0;
  for (size_t at = 0; at < whole.size() - 64; ++at)
    for (const int flip : {0x01, 0x80, 0xff}) {
      std::string bytes = whole;
      bytes[at] = static_cast<char>(bytes[at] ^ flip);
      refused += !GgufFile::open(folder.write("flip.gguf", bytes)).ok();
    }
  EXPECT_GT(refused, 200);
}

}  // namespace
}  // namespace tidemark::weights
