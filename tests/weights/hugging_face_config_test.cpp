#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/json.h"
#include "core/weights/hf_source.h"
#include "core/weights/model_tensors.h"
#include "tests/base/temporary_folder.h"

namespace tidemark::weights {
namespace {

using testing::HasSubstr;

Json base() {
  return Json::parse(R"({"model_type": "llama", "hidden_size": 64, "intermediate_size": 176, "num_hidden_layers": 3,
                         "num_attention_heads": 4, "vocab_size": 320, "max_position_embeddings": 256})");
}

// `base()` with a merge patch; null removes a key.
Result<ModelConfig> read(const std::string& patch) {
  const test::TemporaryFolder folder;
  Json json = base();
  json.merge_patch(Json::parse(patch));
  auto config = readHuggingFaceConfig(folder.write("config.json", json.dump()));
  if (!config.ok()) return config.error();
  TIDEMARK_TRY(checkModelConfig(*config, "config.json"));
  return config;
}

TEST(HuggingFaceConfig, FillsInLlamaConfigsDefaults) {
  const auto config = read("{}");
  ASSERT_TRUE(config.ok()) << config.error().message();
  EXPECT_EQ(config->keyValueHeadCount, 4);
  EXPECT_EQ(config->headSize, 16);
  EXPECT_EQ(config->normEpsilon, 1e-6);
  EXPECT_EQ(config->ropeTheta, 10000.0);
  EXPECT_FALSE(config->hasTiedHead);
}

TEST(HuggingFaceConfig, ReadsFlagsAndAHeadSizeOfItsOwn) {
  const auto config = read(R"({"head_dim": 32, "num_key_value_heads": 2, "attention_bias": true, "mlp_bias": true,
                               "tie_word_embeddings": true, "rms_norm_eps": 1e-5, "rope_theta": 500000, "rope_scaling": null})");
  ASSERT_TRUE(config.ok()) << config.error().message();
  EXPECT_EQ(config->headSize, 32);
  EXPECT_TRUE(config->hasAttentionBias);
  EXPECT_TRUE(config->hasMlpBias);
  EXPECT_TRUE(config->hasTiedHead);
  EXPECT_EQ(config->ropeTheta, 500000.0);
  const auto tensors = modelTensors(*config);
  EXPECT_EQ(tensors[1].name, "model.layers.0.input_layernorm.weight");
  EXPECT_EQ(tensors[2].shape, (std::vector<int64_t>{128, 64}));  // q_proj: heads x head size, not the hidden size
  EXPECT_EQ(tensors[3].name, "model.layers.0.self_attn.q_proj.bias");
  EXPECT_EQ(tensors.back().name, "model.norm.weight");
}

TEST(HuggingFaceConfig, ReadsEveryFormOfRope) {
  const auto old = read(R"({"rope_theta": 5e5, "rope_scaling": {"type": "linear", "factor": 2.0}})");
  ASSERT_TRUE(old.ok()) << old.error().message();
  EXPECT_EQ(old->ropeScaling, RopeScaling::Linear);
  EXPECT_EQ(old->ropeFactor, 2.0);
  const char* llama3 = R"("rope_type": "llama3", "factor": 32.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
                          "original_max_position_embeddings": 8192)";
  const auto three = read(std::string(R"({"rope_theta": 5e5, "rope_scaling": {)") + llama3 + "}}");
  const auto five = read(std::string(R"({"rope_parameters": {"rope_theta": 5e5, )") + llama3 + "}}");
  for (const auto* config : {&three, &five}) {
    ASSERT_TRUE(config->ok()) << config->error().message();
    EXPECT_EQ((*config)->ropeTheta, 5e5);
    EXPECT_EQ((*config)->ropeScaling, RopeScaling::Llama3);
    EXPECT_EQ((*config)->ropeFactor, 32.0);
    EXPECT_EQ((*config)->ropeLowFrequencyFactor, 1.0);
    EXPECT_EQ((*config)->ropeHighFrequencyFactor, 4.0);
    EXPECT_EQ((*config)->ropeOriginalPositions, 8192);
  }
  const auto plain = read(R"({"rope_parameters": {"rope_theta": 7.0, "rope_type": "default"}})");
  ASSERT_TRUE(plain.ok());
  EXPECT_EQ(plain->ropeTheta, 7.0);
  EXPECT_EQ(plain->ropeScaling, RopeScaling::None);
}

struct Case {
  const char* patch;
  ErrorCode code;
  const char* message;
};

constexpr ErrorCode kInvalid = ErrorCode::InvalidInput, kUnsupported = ErrorCode::Unsupported;

const Case kCases[] = {
    {R"({"model_type": null})", kInvalid, "model_type: is missing"},
    {R"({"model_type": 3})", kInvalid, "model_type: is not a string"},
    {R"({"model_type": "qwen2"})", kUnsupported, "\"qwen2\" is not supported; Tidemark reads: llama"},
    {R"({"architectures": ["LlamaForSequenceClassification"]})", kUnsupported, "LlamaForCausalLM"},
    {R"({"architectures": "LlamaForCausalLM"})", kInvalid, "architectures"},
    {R"({"hidden_act": "gelu"})", kUnsupported, "hidden_act: \"gelu\""},
    {R"({"quantization_config": {"quant_method": "gptq"}})", kUnsupported, "quantization_config"},
    {R"({"partial_rotary_factor": 0.5})", kUnsupported, "partial_rotary_factor"},
    {R"({"hidden_size": null})", kInvalid, "hidden_size: is missing"},
    {R"({"hidden_size": "64"})", kInvalid, "hidden_size: is not a whole number"},
    {R"({"hidden_size": 64.5})", kInvalid, "hidden_size: is not a whole number"},
    {R"({"hidden_size": 18446744073709551615})", kInvalid, "hidden_size: is not a whole number"},
    {R"({"hidden_size": -64, "head_dim": 16})", kInvalid, "hidden size: -64"},
    {R"({"hidden_size": 66})", kInvalid, "hidden_size: is not a multiple"},
    {R"({"num_attention_heads": 0})", kInvalid, "num_attention_heads"},
    {R"({"num_key_value_heads": 3})", kInvalid, "key/value heads"},
    {R"({"num_hidden_layers": 0})", kInvalid, "layers: 0"},
    {R"({"num_hidden_layers": 9223372036854775807})", kInvalid, "layers"},
    {R"({"num_attention_heads": 2147483648, "num_key_value_heads": 1, "head_dim": 2147483648})", kInvalid, "attention heads"},
    {R"({"head_dim": 15})", kInvalid, "head size: 15 is odd"},
    {R"({"vocab_size": 0})", kInvalid, "vocabulary size"},
    {R"({"rms_norm_eps": 0})", kInvalid, "norm epsilon"},
    {R"({"rms_norm_eps": "small"})", kInvalid, "rms_norm_eps: is not a number"},
    {R"({"rope_theta": -1})", kInvalid, "RoPE theta"},
    {R"({"rope_scaling": "linear"})", kInvalid, "rope_scaling: is not an object"},
    {R"({"rope_scaling": {"type": "yarn", "factor": 2}})", kUnsupported, "rope_scaling.rope_type: \"yarn\""},
    {R"({"rope_scaling": {"rope_type": "dynamic", "factor": 2}})", kUnsupported, "rope_scaling.rope_type: \"dynamic\""},
    {R"({"rope_scaling": {"rope_type": "linear"}})", kInvalid, "rope_scaling.factor: is missing"},
    {R"({"rope_scaling": {"rope_type": "linear", "factor": 0}})", kInvalid, "RoPE scaling factor"},
    {R"({"rope_parameters": {"rope_type": "llama3", "factor": 8}})", kInvalid, "rope_parameters.low_freq_factor: is missing"},
    {R"({"rope_parameters": {"rope_type": "llama3", "factor": 8, "low_freq_factor": 4, "high_freq_factor": 4,
         "original_max_position_embeddings": 8192}})", kInvalid, "low_freq_factor < high_freq_factor"},
    {R"({"rope_parameters": {"rope_type": "default", "partial_rotary_factor": 0.25}})", kUnsupported, "partial_rotary_factor"},
    {R"({"tie_word_embeddings": 1})", kInvalid, "tie_word_embeddings: is not true or false"},
    {R"({"attention_bias": "yes"})", kInvalid, "attention_bias"},
};

TEST(HuggingFaceConfig, RefusesWithTheKeyNamed) {
  for (const Case& spoilt : kCases) {
    const auto config = read(spoilt.patch);
    if (config.ok()) {
      ADD_FAILURE() << spoilt.patch << " was accepted";
      continue;
    }
    EXPECT_EQ(config.error().code, spoilt.code) << spoilt.patch;
    EXPECT_THAT(config.error().detail, HasSubstr(spoilt.message)) << spoilt.patch;
    EXPECT_THAT(config.error().subject, HasSubstr("config.json")) << spoilt.patch;
  }
}

TEST(HuggingFaceConfig, RefusesWhatIsNotAnObject) {
  const test::TemporaryFolder folder;
  for (const char* text : {"", "[]", "3", "{", "{\"a\":1,\"a\":2}"})
    EXPECT_FALSE(readHuggingFaceConfig(folder.write("config.json", text)).ok()) << text;
  EXPECT_EQ(readHuggingFaceConfig(folder / "none.json").error().code, ErrorCode::NotFound);
}

}  // namespace
}  // namespace tidemark::weights
