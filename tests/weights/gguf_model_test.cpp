// GGUF files that are well formed, but whose metadata or tensors are not those of a Llama that Tidemark can run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>

#include "core/weights/model_source.h"
#include "tests/base/temporary_folder.h"
#include "tests/weights/raw_files.h"

namespace tidemark::weights {
namespace {

using namespace tidemark::test;
using testing::ElementsAre;
using testing::HasSubstr;

// One layer of hidden size 8, two heads of 4, one key/value head, 12 inner, 5 words. Every weight is 0.
struct Model {
  std::map<std::string, std::string> keys;                   // key -> type and value
  std::map<std::string, std::vector<uint64_t>> tensors;      // in GGUF's order of dimensions

  Model() {
    keys["general.architecture"] = u32(kString) + ggufText("llama");
    integer("llama.block_count", 1).integer("llama.context_length", 16).integer("llama.embedding_length", 8);
    integer("llama.feed_forward_length", 12).integer("llama.attention.head_count", 2).integer("llama.attention.head_count_kv", 1);
    number("llama.attention.layer_norm_rms_epsilon", 1e-5f);
    tensors = {{"token_embd.weight", {8, 5}},      {"output_norm.weight", {8}},        {"blk.0.attn_norm.weight", {8}},
               {"blk.0.ffn_norm.weight", {8}},     {"blk.0.attn_q.weight", {8, 8}},    {"blk.0.attn_k.weight", {8, 4}},
               {"blk.0.attn_v.weight", {8, 4}},    {"blk.0.attn_output.weight", {8, 8}}, {"blk.0.ffn_gate.weight", {8, 12}},
               {"blk.0.ffn_up.weight", {8, 12}},   {"blk.0.ffn_down.weight", {12, 8}}};
  }
  Model& integer(const std::string& key, uint32_t value) {
    keys[key] = u32(kU32) + u32(value);
    return *this;
  }
  Model& number(const std::string& key, float value) {
    keys[key] = u32(kF32) + raw(value);
    return *this;
  }
  Model& text(const std::string& key, const std::string& value) {
    keys[key] = u32(kString) + ggufText(value);
    return *this;
  }

  std::string bytes() const {
    RawGguf made;
    for (const auto& [key, value] : keys) made.key(ggufText(key) + value);
    for (const auto& [name, dimensions] : tensors) {
      made.tensor(ggufTensor(name, dimensions, 0, made.data.size()));
      uint64_t size = 4;
      for (const uint64_t dimension : dimensions) size *= dimension;
      for (uint64_t i = 0; i < size / 4; ++i) made.data += raw(static_cast<float>(i + 1));
      made.data.append((32 - made.data.size() % 32) % 32, '\0');
    }
    return made.bytes();
  }
};

Result<std::unique_ptr<ModelSource>> open(const TemporaryFolder& folder, const Model& model) {
  return ModelSource::open(folder.write("model.gguf", model.bytes()));
}

TEST(GgufModel, ReadsDefaultsAndTheTiedHead) {
  const TemporaryFolder folder;
  const auto source = open(folder, Model());
  ASSERT_TRUE(source.ok()) << source.error().message();
  const ModelConfig& config = (*source)->config();
  EXPECT_TRUE(config.hasTiedHead);
  EXPECT_EQ((*source)->find("lm_head.weight"), nullptr);
  EXPECT_EQ(config.name, "model");
  EXPECT_EQ(config.headSize, 4);
  EXPECT_EQ(config.vocabularySize, 5);
  EXPECT_EQ(config.ropeTheta, 10000.0);
}

TEST(GgufModel, ReadsRopeScalingAndBiases) {
  const TemporaryFolder folder;
  Model model;
  model.text("llama.rope.scaling.type", "linear").number("llama.rope.scaling.factor", 4).number("llama.rope.freq_base", 5e5f);
  model.tensors["rope_freqs.weight"] = {2};
  for (const auto& [name, size] : std::map<std::string, uint64_t>{{"attn_q", 8}, {"attn_k", 4}, {"attn_v", 4}, {"attn_output", 8}})
    model.tensors["blk.0." + name + ".bias"] = {size};
  const auto source = open(folder, model);
  ASSERT_TRUE(source.ok()) << source.error().message();
  const ModelConfig& config = (*source)->config();
  EXPECT_EQ(config.ropeScaling, RopeScaling::Linear);
  EXPECT_EQ(config.ropeFactor, 4.0);
  EXPECT_EQ(config.ropeTheta, 5e5);
  EXPECT_THAT(config.ropeFrequencyFactors, ElementsAre(1.0f, 2.0f));
  EXPECT_TRUE(config.hasAttentionBias);
  EXPECT_FALSE(config.hasMlpBias);
  // Stored 1..8 in rows (pair, half) of two heads of 4: Hugging Face's order is first halves, then second halves.
  float bias[8];
  ASSERT_TRUE((*source)->readRows("model.layers.0.self_attn.q_proj.bias", 0, 8, bias).ok());
  EXPECT_THAT(bias, ElementsAre(1, 3, 2, 4, 5, 7, 6, 8));
  float values[4];
  ASSERT_TRUE((*source)->readRows("model.layers.0.self_attn.v_proj.bias", 0, 4, values).ok());
  EXPECT_THAT(values, ElementsAre(1, 2, 3, 4));
}

struct Case {
  const char* name;
  std::function<void(Model&)> spoil;
  ErrorCode code;
  const char* message;
};

constexpr ErrorCode kInvalid = ErrorCode::InvalidInput, kUnsupported = ErrorCode::Unsupported, kMissing = ErrorCode::NotFound;

const Case kCases[] = {
    {"OtherArchitecture", [](Model& m) { m.text("general.architecture", "gemma2"); }, kUnsupported, "\"gemma2\" is not supported; Tidemark reads: llama, gemma3"},
    {"NoArchitecture", [](Model& m) { m.keys.erase("general.architecture"); }, kMissing, "general.architecture"},
    {"ArchitectureIsNumber", [](Model& m) { m.integer("general.architecture", 1); }, kInvalid, "general.architecture"},
    {"Experts", [](Model& m) { m.integer("llama.expert_count", 8); }, kUnsupported, "llama.expert_count"},
    {"Split", [](Model& m) { m.integer("split.count", 3); }, kUnsupported, "split over 3 files"},
    {"NoHiddenSize", [](Model& m) { m.keys.erase("llama.embedding_length"); }, kMissing, "llama.embedding_length"},
    {"HiddenSizeIsText", [](Model& m) { m.text("llama.embedding_length", "8"); }, kInvalid, "llama.embedding_length"},
    {"LayersZero", [](Model& m) { m.integer("llama.block_count", 0); }, kInvalid, "layers"},
    {"LayersMany", [](Model& m) { m.integer("llama.block_count", 4000000000u); }, kInvalid, "layers"},
    {"LayersMissing", [](Model& m) { m.integer("llama.block_count", 2); }, kInvalid, "blk.1.attn_norm.weight: is missing"},
    {"HeadsZero", [](Model& m) { m.integer("llama.attention.head_count", 0); }, kInvalid, "llama.attention.head_count"},
    {"HeadsNotMultiple", [](Model& m) { m.integer("llama.attention.head_count_kv", 3); }, kInvalid, "key/value heads"},
    {"KeyHeadsZero", [](Model& m) { m.integer("llama.attention.head_count_kv", 0); }, kInvalid, "key/value heads"},
    {"HeadsPerLayer", [](Model& m) { m.keys["llama.attention.head_count"] = u32(kArray) + u32(kU32) + u64(1) + u32(2); }, kInvalid, "llama.attention.head_count"},
    {"ValueLengthDiffers", [](Model& m) { m.integer("llama.attention.value_length", 8); }, kUnsupported, "llama.attention.value_length"},
    {"PartialRope", [](Model& m) { m.integer("llama.rope.dimension_count", 2); }, kUnsupported, "llama.rope.dimension_count"},
    {"OddHeadSize", [](Model& m) { m.integer("llama.attention.key_length", 3); }, kInvalid, "head size: 3 is odd"},
    {"Yarn", [](Model& m) { m.text("llama.rope.scaling.type", "yarn"); }, kUnsupported, "\"yarn\" is not supported"},
    {"ThetaNotANumber", [](Model& m) { m.number("llama.rope.freq_base", std::nanf("")); }, kInvalid, "RoPE theta"},
    {"ScalingFactorZero", [](Model& m) { m.text("llama.rope.scaling.type", "linear").number("llama.rope.scaling.factor", 0); }, kInvalid, "RoPE scaling factor"},
    {"NoEpsilon", [](Model& m) { m.keys.erase("llama.attention.layer_norm_rms_epsilon"); }, kMissing, "layer_norm_rms_epsilon"},
    {"EpsilonNegative", [](Model& m) { m.number("llama.attention.layer_norm_rms_epsilon", -1); }, kInvalid, "norm epsilon"},
    {"FrequencyFactorsTooMany", [](Model& m) { m.tensors["rope_freqs.weight"] = {4}; }, kInvalid, "rope_freqs.weight"},
    {"NoEmbedding", [](Model& m) { m.tensors.erase("token_embd.weight"); }, kInvalid, "token_embd.weight: is missing"},
    {"NoNorm", [](Model& m) { m.tensors.erase("output_norm.weight"); }, kInvalid, "output_norm.weight: is missing"},
    {"VocabularyDiffers", [](Model& m) { m.integer("llama.vocab_size", 6); }, kInvalid, "has the shape [5, 8], but the configuration asks for [6, 8]"},
    {"TransposedWeight", [](Model& m) { m.tensors["blk.0.ffn_up.weight"] = {12, 8}; }, kInvalid, "mlp.up_proj.weight: has the shape [8, 12]"},
    {"WeightIsVector", [](Model& m) { m.tensors["blk.0.ffn_up.weight"] = {96}; }, kInvalid, "mlp.up_proj.weight"},
    {"NormIsMatrix", [](Model& m) { m.tensors["output_norm.weight"] = {8, 1}; }, kInvalid, "model.norm.weight"},
    {"SomeBiasesOnly", [](Model& m) { m.tensors["blk.0.attn_q.bias"] = {8}; }, kInvalid, "attn_k.bias: is missing"},
    {"SoftCap", [](Model& m) { m.number("llama.final_logit_softcapping", 30); }, kUnsupported, "soft caps of logits"},
    {"UnknownTensor", [](Model& m) { m.tensors["blk.0.attn_q_norm.weight"] = {4}; }, kUnsupported, "attn_q_norm.weight: is not part"},
};

TEST(GgufModel, RefusesWhatItCannotRun) {
  const TemporaryFolder folder;
  for (const Case& spoilt : kCases) {
    Model model;
    spoilt.spoil(model);
    const auto source = open(folder, model);
    if (source.ok()) {
      ADD_FAILURE() << spoilt.name << " was accepted";
      continue;
    }
    EXPECT_EQ(source.error().code, spoilt.code) << spoilt.name;
    EXPECT_THAT(source.error().detail, HasSubstr(spoilt.message)) << spoilt.name;
    EXPECT_THAT(source.error().subject, HasSubstr("model.gguf")) << spoilt.name;
  }
}

}  // namespace
}  // namespace tidemark::weights
