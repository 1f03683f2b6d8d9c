#include "core/weights/model_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/weights/safetensors.h"
#include "tests/base/temporary_folder.h"

namespace tidemark::weights {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::string kGolden = std::string(TIDEMARK_GOLDEN) + "/weights/";

std::unique_ptr<ModelSource> openOrFail(const std::string& path) {
  auto source = ModelSource::open(path);
  EXPECT_TRUE(source.ok()) << source.error().message();
  return source.ok() ? std::move(source).value() : nullptr;
}

std::vector<float> whole(const ModelSource& source, const TensorInfo& info) {
  const int64_t columns = info.shape.size() > 1 ? info.shape[1] : 1;
  std::vector<float> values(static_cast<size_t>(info.shape[0] * columns), std::nanf(""));
  const Status status = source.readRows(info.name, 0, info.shape[0], values.data());
  EXPECT_TRUE(status.ok()) << status.error().message();
  return values;
}

TEST(ModelSource, ReadsTheConfigurationOfBothFormats) {
  for (const std::string path : {"tiny-llama", "tiny-llama.gguf"}) {
    const auto source = openOrFail(kGolden + path);
    ASSERT_TRUE(source);
    const ModelConfig& config = source->config();
    EXPECT_EQ(config.name, path == "tiny-llama" ? "tiny-llama" : "tiny llama");
    EXPECT_EQ(source->format(), path == "tiny-llama" ? "safetensors" : "gguf");
    EXPECT_EQ(config.hiddenSize, 64);
    EXPECT_EQ(config.intermediateSize, 176);
    EXPECT_EQ(config.layerCount, 3);
    EXPECT_EQ(config.headCount, 4);
    EXPECT_EQ(config.keyValueHeadCount, 2);
    EXPECT_EQ(config.headSize, 16);
    EXPECT_EQ(config.vocabularySize, 320);
    EXPECT_EQ(config.maxPositions, 256);
    EXPECT_EQ(config.ropeTheta, 10000.0);
    EXPECT_EQ(config.ropeScaling, RopeScaling::None);
    EXPECT_NEAR(config.normEpsilon, 1e-5, 1e-11);
    EXPECT_FALSE(config.hasTiedHead);
    EXPECT_FALSE(config.hasAttentionBias);
    EXPECT_FALSE(config.hasMlpBias);
  }
}

TEST(ModelSource, ListsTensorsInTheOrderOfUse) {
  const auto source = openOrFail(kGolden + "tiny-llama");
  ASSERT_TRUE(source);
  EXPECT_EQ(source->tensors().size(), 3u + 3 * 9);
  EXPECT_EQ(source->tensors().front().name, "model.embed_tokens.weight");
  EXPECT_EQ(source->tensors()[2].name, "model.layers.0.self_attn.q_proj.weight");
  EXPECT_EQ(source->tensors().back().name, "lm_head.weight");
  const TensorInfo* key = source->find("model.layers.2.self_attn.k_proj.weight");
  ASSERT_NE(key, nullptr);
  EXPECT_THAT(key->shape, ElementsAre(32, 64));
  EXPECT_EQ(key->storedType, "F32");
  EXPECT_EQ(key->storedBytes, 32u * 64 * 4);
  EXPECT_EQ(source->parameterCount(), 2 * 320 * 64 + 64 + 3 * (2 * 64 + 2 * 64 * 64 + 2 * 32 * 64 + 3 * 176 * 64));
}

// The safetensors side is compared with the plain reader; the GGUF file was permuted by Python.
TEST(ModelSource, BothFormatsGiveTheSameWeights) {
  const auto folder = openOrFail(kGolden + "tiny-llama");
  const auto gguf = openOrFail(kGolden + "tiny-llama.gguf");
  const auto plain = readSafetensors(kGolden + "tiny-llama/model.safetensors");
  ASSERT_TRUE(folder && gguf && plain.ok());
  for (const TensorInfo& info : folder->tensors()) {
    const std::vector<float>& expected = plain->tensors.at(info.name).values;
    EXPECT_EQ(whole(*folder, info), expected) << info.name;
    EXPECT_EQ(whole(*gguf, info), expected) << info.name;
  }
}

TEST(ModelSource, ReadsAnyRangeOfRows) {
  const auto gguf = openOrFail(kGolden + "tiny-llama.gguf");
  ASSERT_TRUE(gguf);
  for (const std::string name : {"model.layers.1.self_attn.q_proj.weight", "model.layers.1.mlp.up_proj.weight"}) {
    const std::vector<float> all = whole(*gguf, *gguf->find(name));
    std::vector<float> part(13 * 64);
    ASSERT_TRUE(gguf->readRows(name, 27, 40, part.data()).ok());
    EXPECT_EQ(part, std::vector<float>(all.begin() + 27 * 64, all.begin() + 40 * 64)) << name;
    EXPECT_TRUE(gguf->readRows(name, 5, 5, nullptr).ok());
  }
  float norm[3];
  ASSERT_TRUE(gguf->readRows("model.norm.weight", 61, 64, norm).ok());
  const std::vector<float> norms = whole(*gguf, *gguf->find("model.norm.weight"));
  EXPECT_THAT(norm, ElementsAre(norms[61], norms[62], norms[63]));
  gguf->dropPages();
  float again[3];
  ASSERT_TRUE(gguf->readRows("model.norm.weight", 61, 64, again).ok());
  EXPECT_THAT(again, ElementsAre(norm[0], norm[1], norm[2]));
}

TEST(ModelSource, RefusesRowsThatAreNotThere) {
  const auto source = openOrFail(kGolden + "tiny-llama");
  ASSERT_TRUE(source);
  float out[64];
  EXPECT_EQ(source->readRows("model.nothing", 0, 1, out).error().code, ErrorCode::NotFound);
  EXPECT_THAT(source->readRows("model.norm.weight", 60, 65, out).error().message(), HasSubstr("it has 64"));
  EXPECT_FALSE(source->readRows("model.norm.weight", -1, 1, out).ok());
  EXPECT_FALSE(source->readRows("model.norm.weight", 3, 2, out).ok());
}

// F16 in the first file, BF16 in the second: within the rounding of each.
TEST(ModelSource, ReadsShardsOfHalfPrecision) {
  const auto exact = openOrFail(kGolden + "tiny-llama");
  const auto sharded = openOrFail(kGolden + "tiny-llama-sharded");
  ASSERT_TRUE(exact && sharded);
  EXPECT_EQ(sharded->find("lm_head.weight")->storedType, "F16");
  EXPECT_EQ(sharded->find("model.layers.2.mlp.up_proj.weight")->storedType, "BF16");
  for (const TensorInfo& info : sharded->tensors()) {
    const double relative = info.storedType == "F16" ? 1.0 / 2048 : 1.0 / 256;
    const std::vector<float> want = whole(*exact, *exact->find(info.name)), have = whole(*sharded, info);
    ASSERT_EQ(want.size(), have.size());
    for (size_t i = 0; i < want.size(); ++i)
      ASSERT_NEAR(have[i], want[i], std::abs(want[i]) * relative + 1e-7) << info.name << " " << i;
  }
}

TEST(ModelSource, SaysWhatAPathShouldHaveBeen) {
  const test::TemporaryFolder folder;
  const auto message = [](const std::filesystem::path& path) {
    const auto source = ModelSource::open(path);
    return source.ok() ? "was opened" : source.error().message();
  };
  EXPECT_THAT(message(folder / "nothing"), HasSubstr("no such file"));
  EXPECT_THAT(message(folder.write("pytorch_model.bin", "PK")), HasSubstr("convert to safetensors"));
  EXPECT_THAT(message(folder.path()), HasSubstr("pickled weights (pytorch_model.bin)"));
  EXPECT_THAT(message(folder.path()), HasSubstr("convert to safetensors"));
  EXPECT_THAT(message(folder.write("consolidated.00.pth", "PK")), HasSubstr("convert to safetensors"));
  EXPECT_THAT(message(folder.write("notes.txt", "hello, this is a text")), HasSubstr("not a GGUF file"));
  EXPECT_THAT(message(kGolden + "tiny-llama/model.safetensors"), HasSubstr("give the folder"));
  std::filesystem::remove_all(folder / "pytorch_model.bin");
  std::filesystem::remove_all(folder / "consolidated.00.pth");
  EXPECT_THAT(message(folder.path()), HasSubstr("holds neither model.safetensors"));
  folder.write("model-Q4_1.gguf", "GGUF");
  EXPECT_THAT(message(folder.path()), HasSubstr("to use model-Q4_1.gguf, give its path"));
}

}  // namespace
}  // namespace tidemark::weights
