// Gemma 3 from both formats: a GGUF file's norms hold one more than Hugging Face's, and its rows keep their order.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/base/file.h"
#include "core/base/json.h"
#include "core/weights/hf_source.h"
#include "core/weights/model_source.h"
#include "tests/base/temporary_folder.h"

namespace tidemark::weights {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::string kGolden = std::string(TIDEMARK_GOLDEN) + "/weights/";

std::vector<float> whole(const ModelSource& source, const TensorInfo& info) {
  std::vector<float> values(static_cast<size_t>(info.shape[0] * (info.shape.size() > 1 ? info.shape[1] : 1)), std::nanf(""));
  EXPECT_TRUE(source.readRows(info.name, 0, info.shape[0], values.data()).ok());
  return values;
}

TEST(Gemma3Source, BothFormatsAreTheSameModel) {
  const auto folder = ModelSource::open(kGolden + "tiny-gemma"), file = ModelSource::open(kGolden + "tiny-gemma.gguf");
  ASSERT_TRUE(folder.ok()) << folder.error().message();
  ASSERT_TRUE(file.ok()) << file.error().message();
  for (const auto* source : {&folder, &file}) {
    const ModelConfig& config = (**source)->config();
    EXPECT_EQ(config.architecture, Architecture::Gemma3);
    EXPECT_EQ(config.headSize, 32);
    EXPECT_EQ(config.slidingWindow, 12);
    EXPECT_THAT(config.slidingLayers, ElementsAre(true, false, true));
    EXPECT_EQ(config.ropeTheta, 1e6);
    EXPECT_EQ(config.ropeFactor, 8.0);
    EXPECT_EQ(config.ropeScaling, RopeScaling::Linear);
    EXPECT_EQ(config.slidingRopeTheta, 1e4);
    EXPECT_EQ(config.embeddingScale, 8.0);
    EXPECT_TRUE(config.hasTiedHead);
  }
  EXPECT_EQ((*folder)->config().attentionScale, 1 / std::sqrt(24.0));
  EXPECT_EQ((*file)->config().attentionScale, 0);  // GGUF has no key for it: 1 / sqrt(head size)
  ASSERT_EQ((*folder)->tensors().size(), 2u + 3 * 13);
  for (const TensorInfo& info : (*folder)->tensors()) {
    const TensorInfo* other = (*file)->find(info.name);
    ASSERT_TRUE(other) << info.name;
    const std::vector<float> a = whole(**folder, info), b = whole(**file, *other);
    const double tolerance = info.shape.size() == 1 ? 1e-7 : 0.06;  // norms are float32, matrices quantised
    for (size_t i = 0; i < a.size(); ++i) ASSERT_NEAR(a[i], b[i], tolerance) << info.name << " " << i;
  }
}

Result<ModelConfig> read(const std::string& patch) {
  const test::TemporaryFolder folder;
  Json json = Json::parse(*readFile(kGolden + "tiny-gemma/config.json"));
  json.merge_patch(Json::parse(patch));
  return readHuggingFaceConfig(folder.write("config.json", json.dump()));
}

TEST(Gemma3Config, OlderFilesSayTheSameInOtherWords) {
  const auto config = read(R"({"layer_types": null, "rope_parameters": null, "sliding_window_pattern": 2, "rope_theta": 1e6,
                               "rope_local_base_freq": 5000.0, "rope_scaling": {"rope_type": "linear", "factor": 8.0}})");
  ASSERT_TRUE(config.ok()) << config.error().message();
  EXPECT_THAT(config->slidingLayers, ElementsAre(true, false, true));
  EXPECT_EQ(config->slidingRopeTheta, 5000.0);
  EXPECT_EQ(config->ropeFactor, 8.0);
}

TEST(Gemma3Config, WhatIsNotComputedIsRefused) {
  const auto refusal = [](const std::string& patch) {
    const auto config = read(patch);
    return config.ok() ? "" : config.error().message();
  };
  EXPECT_EQ(refusal("{}"), "");
  EXPECT_THAT(refusal(R"({"model_type": "gemma3"})"), HasSubstr("sees images"));
  EXPECT_THAT(refusal(R"({"model_type": "gemma2"})"), HasSubstr("\"gemma2\" is not supported; Tidemark reads: llama, gemma3_text"));
  EXPECT_THAT(refusal(R"({"final_logit_softcapping": 30.0})"), HasSubstr("final_logit_softcapping: soft caps"));
  EXPECT_THAT(refusal(R"({"use_bidirectional_attention": true})"), HasSubstr("only causal attention"));
  EXPECT_THAT(refusal(R"({"layer_types": ["chunked_attention"]})"), HasSubstr("chunked_attention"));
  EXPECT_THAT(refusal(R"({"hidden_activation": "silu"})"), HasSubstr("gelu_pytorch_tanh"));
  EXPECT_THAT(refusal(R"({"sliding_window": 0})"), HasSubstr("sliding_window: is not positive"));
}

}  // namespace
}  // namespace tidemark::weights
