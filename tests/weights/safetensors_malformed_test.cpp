// Malformed safetensors files: each must be refused with an error that names the file and the field.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/weights/safetensors.h"
#include "tests/base/temporary_folder.h"
#include "tests/weights/raw_files.h"

namespace tidemark::weights {
namespace {

using namespace tidemark::test;
using testing::HasSubstr;

std::string entry(const std::string& name, const std::string& dtype, const std::string& shape, const std::string& offsets) {
  return "\"" + name + "\":{\"dtype\":\"" + dtype + "\",\"shape\":" + shape + ",\"data_offsets\":" + offsets + "}";
}

std::string file(const std::string& entries, size_t dataBytes) {
  return rawSafetensors("{" + entries + "}", std::string(dataBytes, '\0'));
}

std::string one(const std::string& dtype, const std::string& shape, const std::string& offsets, size_t dataBytes) {
  return file(entry("t", dtype, shape, offsets), dataBytes);
}

struct Case {
  const char* name;
  std::string bytes;
  const char* message;  // a part of it
};

// Names the test in ctest's list.
void PrintTo(const Case& spoilt, std::ostream* out) { *out << spoilt.name; }

std::vector<Case> headerCases() {
  const std::string good = one("F32", "[2]", "[0,8]", 8);
  std::string deep;
  for (int i = 0; i < 200; ++i) deep += "[";
  return {
      {"Empty", "", "header length"},
      {"SevenBytes", std::string(7, '\0'), "header length"},
      {"NoHeader", u64(0), "header"},
      {"LengthBeyondFile", u64(500) + "{}", "beyond the end"},
      {"LengthHuge", u64(~0ull) + "{}", "header length"},
      {"LengthWraps", u64(~0ull - 7) + "{}", "header length"},
      {"LengthAboveLimit", u64(100'000'001) + "{}", "at most 100000000"},
      {"NotUtf8", rawSafetensors("{\"\xff\":{}}", ""), "UTF-8"},
      {"Surrogate", rawSafetensors("{\"\xed\xa0\x80\":{}}", ""), "UTF-8"},
      {"Overlong", rawSafetensors("{\"\xc0\x80\":{}}", ""), "UTF-8"},
      {"NotJson", rawSafetensors("{nonsense", ""), "line 1"},
      {"CutJson", rawSafetensors(good.substr(8, 20), ""), "line 1"},
      {"TextAfterJson", rawSafetensors("{} x", ""), "line 1"},
      {"Array", rawSafetensors("[]", ""), "begin with"},
      {"LeadingSpace", rawSafetensors(" {}", ""), "begin with"},
      {"ByteOrderMark", rawSafetensors("\xef\xbb\xbf{}", ""), "begin with"},
      {"TooDeep", rawSafetensors("{\"t\":" + deep, ""), "nested deeper"},
      {"MetadataNotObject", file("\"__metadata__\":[]", 0), "__metadata__"},
      {"MetadataNumber", file("\"__metadata__\":{\"step\":3}", 0), "__metadata__.step"},
      {"MetadataNested", file("\"__metadata__\":{\"a\":{}}", 0), "__metadata__.a"},
      {"MetadataTwice", file("\"__metadata__\":{},\"__metadata__\":{}", 0), "given twice"},
      {"NameTwice", file(entry("t", "F32", "[1]", "[0,4]") + "," + entry("t", "F32", "[1]", "[4,8]"), 8), "given twice"},
  };
}

std::vector<Case> entryCases() {
  return {
      {"EntryNotObject", file("\"t\":[1]", 0), "tensor t"},
      {"EntryEmpty", file("\"t\":{}", 0), "dtype"},
      {"UnknownField", file(R"("t":{"dtype":"F32","shape":[1],"data_offsets":[0,4],"stride":[1]})", 4), "stride"},
      {"FieldTwice", file(R"("t":{"dtype":"F32","dtype":"F16","shape":[1],"data_offsets":[0,4]})", 4), "given twice"},
      {"DtypeMissing", file(R"("t":{"shape":[1],"data_offsets":[0,4]})", 4), "dtype"},
      {"DtypeNumber", file(R"("t":{"dtype":32,"shape":[1],"data_offsets":[0,4]})", 4), "dtype"},
      {"DtypeUnknown", one("F33", "[1]", "[0,4]", 4), "unknown type \"F33\""},
      {"DtypeInteger", one("I64", "[1]", "[0,8]", 8), "stored as I64"},
      {"DtypeDouble", one("F64", "[1]", "[0,8]", 8), "stored as F64"},
      {"DtypeFloat8", one("F8_E4M3", "[4]", "[0,4]", 4), "stored as F8_E4M3"},
      {"DtypeQuantised", one("Q4_0", "[32]", "[0,18]", 18), "unknown type \"Q4_0\""},
      {"ShapeMissing", file(R"("t":{"dtype":"F32","data_offsets":[0,4]})", 4), "shape"},
      {"ShapeNumber", one("F32", "1", "[0,4]", 4), "shape"},
      {"ShapeNegative", one("F32", "[-1]", "[0,4]", 4), "shape"},
      {"ShapeFraction", one("F32", "[1.5]", "[0,4]", 4), "shape"},
      {"ShapeText", one("F32", "[\"1\"]", "[0,4]", 4), "shape"},
      {"ShapeBeyondInt64", one("F32", "[18446744073709551615]", "[0,4]", 4), "shape"},
      {"ShapeBeyondUint64", one("F32", "[99999999999999999999]", "[0,4]", 4), "shape"},
      {"ShapeProductWraps", one("F32", "[4294967296,4294967296]", "[0,0]", 0), "overflows"},
      {"ShapeProductWrapsToOne", one("F32", "[4294967297,4294967297,4294967295]", "[0,4]", 4), "overflows"},
      {"BytesWrap", one("F32", "[4611686018427387904]", "[0,0]", 0), "overflows"},
      {"OffsetsMissing", file(R"("t":{"dtype":"F32","shape":[1]})", 4), "data_offsets"},
      {"OffsetsOne", one("F32", "[1]", "[0]", 4), "data_offsets"},
      {"OffsetsThree", one("F32", "[1]", "[0,4,8]", 4), "data_offsets"},
      {"OffsetsReversed", one("F32", "[1]", "[4,0]", 4), "ends before it begins"},
      {"OffsetsNegative", one("F32", "[1]", "[-4,0]", 4), "data_offsets"},
      {"SizeTooSmall", one("F32", "[2]", "[0,4]", 4), "but shape and dtype take 8"},
      {"SizeTooLarge", one("F32", "[1]", "[0,8]", 8), "but shape and dtype take 4"},
  };
}

std::vector<Case> coverageCases() {
  const auto two = [](const std::string& first, const std::string& second, size_t bytes) {
    return file(entry("a", "F32", "[2]", first) + "," + entry("b", "F32", "[2]", second), bytes);
  };
  return {
      {"GapAtTheBeginning", one("F32", "[1]", "[4,8]", 8), "gap"},
      {"Gap", two("[0,8]", "[12,20]", 20), "tensor b"},
      {"Overlap", two("[0,8]", "[4,12]", 12), "overlap"},
      {"SameBytes", two("[0,8]", "[0,8]", 8), "overlap"},
      {"TrailingBytes", two("[0,8]", "[8,16]", 17), "1 bytes after"},
      {"MissingBytes", two("[0,8]", "[8,16]", 15), "tensor b"},
      {"NoData", one("F32", "[2]", "[0,8]", 0), "tensor t"},
      {"OffsetsFarBeyond", one("F32", "[2]", "[9223372036854775799,9223372036854775807]", 8), "tensor t"},
      {"EmptyTensorBeyond", one("F32", "[0]", "[8,8]", 0), "tensor t"},
      {"DataWithoutTensors", file("", 4), "after the last tensor"},
  };
}

class MalformedSafetensors : public testing::TestWithParam<Case> {};

TEST_P(MalformedSafetensors, IsRefusedWithFileAndField) {
  const TemporaryFolder folder;
  const auto path = folder.write("bad.safetensors", GetParam().bytes);
  const auto opened = SafetensorsFile::open(path);
  ASSERT_FALSE(opened.ok()) << "was accepted";
  EXPECT_EQ(opened.error().subject, path.string());
  EXPECT_THAT(opened.error().detail, HasSubstr(GetParam().message));
}

const auto kCaseName = [](const auto& info) { return std::string(info.param.name); };
INSTANTIATE_TEST_SUITE_P(Header, MalformedSafetensors, testing::ValuesIn(headerCases()), kCaseName);
INSTANTIATE_TEST_SUITE_P(Entry, MalformedSafetensors, testing::ValuesIn(entryCases()), kCaseName);
INSTANTIATE_TEST_SUITE_P(Coverage, MalformedSafetensors, testing::ValuesIn(coverageCases()), kCaseName);

TEST(MalformedSafetensorsFiles, TooManyTensorsAreRefused) {
  std::string entries;
  for (int i = 0; i <= 100'000; ++i) entries += (i ? "," : "") + entry(std::to_string(i), "F32", "[0]", "[0,0]");
  const TemporaryFolder folder;
  const auto opened = SafetensorsFile::open(folder.write("many.safetensors", file(entries, 0)));
  ASSERT_FALSE(opened.ok());
  EXPECT_THAT(opened.error().detail, HasSubstr("more than 100000 tensors"));
}

TEST(MalformedSafetensorsFiles, EveryCutIsRefused) {
  const TemporaryFolder folder;
  const std::string whole = one("F32", "[2]", "[0,8]", 8);
  ASSERT_TRUE(SafetensorsFile::open(folder.write("good.safetensors", whole)).ok());
  for (size_t length = 0; length < whole.size(); ++length)
    ASSERT_FALSE(SafetensorsFile::open(folder.write("cut.safetensors", whole.substr(0, length))).ok()) << length;
}

TEST(MalformedSafetensorsFiles, AFolderOrNothingIsAnError) {
  const TemporaryFolder folder;
  EXPECT_EQ(SafetensorsFile::open(folder / "none.safetensors").error().code, ErrorCode::NotFound);
  EXPECT_FALSE(SafetensorsFile::open(folder.path()).ok());
}

}  // namespace
}  // namespace tidemark::weights
