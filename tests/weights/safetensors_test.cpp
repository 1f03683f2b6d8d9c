#include "core/weights/safetensors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "core/base/json.h"
#include "core/weights/safetensors_writer.h"
#include "tests/base/temporary_folder.h"
#include "tests/weights/raw_files.h"

namespace tidemark::weights {
namespace {

using namespace tidemark::test;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

TEST(Safetensors, ReadsWhatPythonWrote) {
  auto file = SafetensorsFile::open(std::string(TIDEMARK_GOLDEN) + "/weights/tiny-llama/model.safetensors");
  ASSERT_TRUE(file.ok()) << file.error().message();
  EXPECT_THAT(file->metadata(), ElementsAre(Pair("format", "pt")));
  const SafetensorsEntry* down = file->find("model.layers.2.mlp.down_proj.weight");
  ASSERT_NE(down, nullptr);
  EXPECT_THAT(down->shape, ElementsAre(64, 176));
  EXPECT_EQ(file->data(*down).size(), 64u * 176 * 4);
  EXPECT_EQ(file->find("nothing"), nullptr);
}

TEST(Safetensors, AcceptsScalarsEmptyTensorsAndPadding) {
  const TemporaryFolder folder;
  const std::string header =
      R"({"scalar":{"dtype":"F32","shape":[],"data_offsets":[0,4]},"none":{"dtype":"F16","shape":[3,0],"data_offsets":[4,4]},)"
      R"("two":{"dtype":"BF16","shape":[2],"data_offsets":[4,8]}}      )";
  auto file = readSafetensors(folder.write("a.safetensors", rawSafetensors(header, raw(2.5f) + std::string("\x80\x3f\x00\xc0", 4))));
  ASSERT_TRUE(file.ok()) << file.error().message();
  EXPECT_THAT(file->tensors.at("scalar").values, ElementsAre(2.5f));
  EXPECT_THAT(file->tensors.at("scalar").shape, IsEmpty());
  EXPECT_THAT(file->tensors.at("none").values, IsEmpty());
  EXPECT_THAT(file->tensors.at("two").values, ElementsAre(1.0f, -2.0f));
  auto empty = SafetensorsFile::open(folder.write("empty.safetensors", rawSafetensors("{}", "")));
  ASSERT_TRUE(empty.ok()) << empty.error().message();
  EXPECT_THAT(empty->tensors(), IsEmpty());
}

TEST(SafetensorsWriter, WritesWhatIsReadBack) {
  const TemporaryFolder folder;
  std::vector<float> matrix(6), scalar{-0.0f};
  std::iota(matrix.begin(), matrix.end(), 0.25f);
  const std::vector<int64_t> shape{2, 3}, none, empty{0, 4};
  const std::vector<TensorToWrite> tensors{{"z.weight", shape, matrix}, {"gr\xc3\xbc\xc3\x9f", none, scalar}, {"e", empty, {}}};
  const auto path = folder / "out.safetensors";
  ASSERT_TRUE(writeSafetensors(path, tensors, {{"format", "pt"}, {"quote", "a\"b"}}).ok());
  auto back = readSafetensors(path);
  ASSERT_TRUE(back.ok()) << back.error().message();
  EXPECT_THAT(back->metadata, ElementsAre(Pair("format", "pt"), Pair("quote", "a\"b")));
  EXPECT_EQ(back->tensors.size(), 3u);
  EXPECT_EQ(back->tensors.at("z.weight").values, matrix);
  EXPECT_EQ(back->tensors.at("z.weight").shape, shape);
  EXPECT_TRUE(std::signbit(back->tensors.at("gr\xc3\xbc\xc3\x9f").values[0]));
  EXPECT_EQ(back->tensors.at("e").shape, empty);
}

TEST(SafetensorsWriter, AlignsTheDataAndLeavesNoTemporaryFile) {
  const TemporaryFolder folder;
  const std::vector<int64_t> shape{1};
  const std::vector<float> value{1};
  for (const char* name : {"a", "ab", "abc", "abcd", "abcdefgh"}) {
    const std::vector<TensorToWrite> tensors{{name, shape, value}};
    ASSERT_TRUE(writeSafetensors(folder / "x.safetensors", tensors).ok());
    auto content = readFile(folder / "x.safetensors");
    uint64_t length = 0;
    std::memcpy(&length, content->data(), 8);
    EXPECT_EQ(length % 8, 0u);
    EXPECT_EQ(content->size(), 8 + length + 4);
  }
  int files = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder.path())) ++files;
  EXPECT_EQ(files, 1);
}

TEST(SafetensorsWriter, RefusesWhatTheFormatCannotHold) {
  const TemporaryFolder folder;
  const std::vector<int64_t> shape{2};
  const std::vector<float> one{1}, two{1, 2};
  const auto path = folder / "x.safetensors";
  const auto message = [&](const std::vector<TensorToWrite>& tensors, const std::map<std::string, std::string>& metadata) {
    const Status status = writeSafetensors(path, tensors, metadata);
    return status.ok() ? "written" : status.error().message();
  };
  EXPECT_THAT(message({{"a", shape, one}}, {}), HasSubstr("has 1 values, but its shape takes 2"));
  EXPECT_THAT(message({{"a", shape, two}, {"a", shape, two}}, {}), HasSubstr("tensor a: is given twice"));
  EXPECT_THAT(message({{"", shape, two}}, {}), HasSubstr("usable name"));
  EXPECT_THAT(message({{"__metadata__", shape, two}}, {}), HasSubstr("usable name"));
  EXPECT_THAT(message({{"\xff", shape, two}}, {}), HasSubstr("usable name"));
  EXPECT_THAT(message({{"a", shape, two}}, {{"k", "\xff"}}), HasSubstr("UTF-8"));
  EXPECT_FALSE(std::filesystem::exists(path));
  EXPECT_EQ(writeSafetensors(folder / "no/such/folder/x.safetensors", {}).error().code, ErrorCode::Io);
}

}  // namespace
}  // namespace tidemark::weights
