#include "core/weights/gguf.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "tests/base/temporary_folder.h"
#include "tests/weights/raw_files.h"

namespace tidemark::weights {
namespace {

using namespace tidemark::test;
using testing::ElementsAre;
using testing::HasSubstr;

const std::string kTiny = std::string(TIDEMARK_GOLDEN) + "/weights/tiny-llama.gguf";

TEST(GgufFile, ReadsEveryKindOfMetadata) {
  auto file = GgufFile::open(kTiny);
  ASSERT_TRUE(file.ok()) << file.error().message();
  EXPECT_EQ(file->string("general.architecture").value(), "llama");
  EXPECT_EQ(file->integer("test.uint8").value(), 200);
  EXPECT_EQ(file->integer("test.int8").value(), -7);
  EXPECT_EQ(file->integer("test.uint16").value(), 65000);
  EXPECT_EQ(file->integer("test.int16").value(), -30000);
  EXPECT_EQ(file->integer("llama.embedding_length").value(), 64);
  EXPECT_EQ(file->integer("test.int32").value(), -2000000000);
  EXPECT_EQ(file->integer("test.int64").value(), -(int64_t{1} << 40));
  EXPECT_EQ(file->number("test.float64").value(), 0.1);
  EXPECT_EQ(file->number("llama.rope.freq_base").value(), 10000.0);
  EXPECT_EQ(file->number("test.uint8").value(), 200.0);
  EXPECT_TRUE(file->boolean("test.bool").value());
  EXPECT_THAT(file->strings("test.strings").value(), ElementsAre("a", "", "gr\xc3\xbc\xc3\x9f"));
  EXPECT_THAT(file->integers("test.integers").value(), ElementsAre(3, -1, 7));
  EXPECT_THAT(file->floats("test.floats").value(), ElementsAre(0.5f, -2.25f));
}

TEST(GgufFile, SaysWhatIsWrongWithAKey) {
  auto file = GgufFile::open(kTiny);
  ASSERT_TRUE(file.ok());
  EXPECT_FALSE(file->has("no.such.key"));
  EXPECT_EQ(file->string("no.such.key").error().code, ErrorCode::NotFound);
  EXPECT_THAT(file->string("test.uint8").error().message(), HasSubstr("test.uint8: is a value of type uint8 instead of string"));
  EXPECT_THAT(file->integer("test.uint64").error().message(), HasSubstr("beyond the range"));
  EXPECT_THAT(file->integer("test.bool").error().message(), HasSubstr("bool instead of an integer"));
  EXPECT_THAT(file->integers("test.floats").error().message(), HasSubstr("array of float32 instead of array of integers"));
  EXPECT_THAT(file->floats("test.strings").error().message(), HasSubstr("array of string"));
  EXPECT_THAT(file->boolean("test.int8").error().message(), HasSubstr("instead of bool"));
}

TEST(GgufFile, ListsTensorsInRowMajorOrder) {
  auto file = GgufFile::open(kTiny);
  ASSERT_TRUE(file.ok());
  EXPECT_EQ(file->tensors().size(), 3u + 3 * 9);
  const GgufTensor* gate = file->find("blk.1.ffn_gate.weight");
  ASSERT_NE(gate, nullptr);
  EXPECT_THAT(gate->shape, ElementsAre(176, 64));
  EXPECT_EQ(gate->type, TensorType::F32);
  EXPECT_EQ(file->data(*gate).size(), 176u * 64 * 4);
  EXPECT_EQ(file->find("blk.3.ffn_gate.weight"), nullptr);
}

TEST(GgufFile, AcceptsVersion2AndOtherAlignments) {
  const TemporaryFolder folder;
  RawGguf made;
  made.version = 2;
  made.key(ggufKey("general.alignment", kU32, u32(64)));
  made.tensor(ggufTensor("a", {2}, 0, 0)).tensor(ggufTensor("b", {3}, 1, 64));
  made.data = raw(1.5f) + raw(-2.0f) + std::string(56, '\0') + std::string(6, '\1');
  auto file = GgufFile::open(folder.write("two.gguf", made.bytes(64)));
  ASSERT_TRUE(file.ok()) << file.error().message();
  float values[2];
  std::memcpy(values, file->data(*file->find("a")).data(), sizeof values);
  EXPECT_EQ(values[0], 1.5f);
  EXPECT_EQ(values[1], -2.0f);
  EXPECT_EQ(static_cast<int>(file->data(*file->find("b"))[0]), 1);
}

TEST(GgufFile, AcceptsAFileOfMetadataAlone) {
  const TemporaryFolder folder;
  RawGguf made;
  made.key(ggufKey("empty", kArray, u32(kString) + u64(0)));
  std::string bytes = made.bytes(1);
  auto file = GgufFile::open(folder.write("vocabulary.gguf", bytes));
  ASSERT_TRUE(file.ok()) << file.error().message();
  EXPECT_TRUE(file->strings("empty")->empty());
  EXPECT_TRUE(file->tensors().empty());
}

}  // namespace
}  // namespace tidemark::weights
