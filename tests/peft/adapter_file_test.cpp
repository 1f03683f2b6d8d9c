#include "core/peft/adapter_file.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/file.h"
#include "core/base/json.h"
#include "core/weights/safetensors.h"
#include "core/weights/safetensors_writer.h"
#include "tests/base/temporary_folder.h"

namespace tidemark::peft {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr int64_t kIn = 10, kOut = 6;
const std::string kModule = "model.layers.3.self_attn.q_proj";

TrainableState stateWith(int64_t r, const std::vector<std::string>& modules) {
  TrainableState state;
  for (const std::string& module : modules) {
    state.add(module + ".lora_A.weight", {r, kIn});
    state.add(module + ".lora_B.weight", {kOut, r});
  }
  state.allocate(c10::Device(c10::kCPU));
  return state;
}

const std::vector<std::string> kTwo{kModule, "model.layers.3.self_attn.v_proj"};

class AdapterFileTest : public testing::Test {
 protected:
  void SetUp() override {
    state_.parameters.normal_();
    const Status written = writeAdapter(folder_.path(), state_, {{4, 12, 0.05, {"q_proj", "v_proj"}}, "org/base"});
    ASSERT_TRUE(written.ok()) << written.error().message();
  }

  // The configuration of SetUp with one key changed.
  Error refusal(const std::string& key, const Json& value) {
    Json config = Json::parse(readFile(folder_ / "adapter_config.json").value());
    config[key] = value;
    test::TemporaryFolder changed;
    changed.write("adapter_config.json", config.dump());
    const auto info = readAdapterInfo(changed.path());
    if (info.ok()) {
      ADD_FAILURE() << key << ": " << value << " was accepted";
      return {};
    }
    return info.error();
  }

  test::TemporaryFolder folder_;
  TrainableState state_ = stateWith(4, kTwo);
};

TEST_F(AdapterFileTest, RoundTrip) {
  TrainableState loaded = stateWith(4, kTwo);
  const Status read = loadAdapter(folder_.path(), loaded);
  ASSERT_TRUE(read.ok()) << read.error().message();
  EXPECT_TRUE(loaded.parameters.equal(state_.parameters));
  const auto info = readAdapterInfo(folder_.path());
  ASSERT_TRUE(info.ok()) << info.error().message();
  EXPECT_EQ(info->lora.r, 4);
  EXPECT_EQ(info->lora.alpha, 12);
  EXPECT_EQ(info->lora.dropout, 0.05);
  EXPECT_THAT(info->lora.targets, ElementsAre("q_proj", "v_proj"));
  EXPECT_EQ(info->baseModel, "org/base");
}

TEST_F(AdapterFileTest, HasTheNamesAndShapesOfPeft) {
  const auto file = weights::readSafetensors(folder_ / "adapter_model.safetensors");
  ASSERT_TRUE(file.ok());
  EXPECT_EQ(file->metadata.at("format"), "pt");
  ASSERT_EQ(file->tensors.size(), 4u);
  EXPECT_THAT(file->tensors.at("base_model.model." + kModule + ".lora_A.weight").shape, ElementsAre(4, kIn));
  EXPECT_THAT(file->tensors.at("base_model.model." + kModule + ".lora_B.weight").shape, ElementsAre(kOut, 4));
}

TEST_F(AdapterFileTest, OrderInTheStateDoesNotMatter) {
  TrainableState loaded = stateWith(4, {kTwo[1], kTwo[0]});
  ASSERT_TRUE(loadAdapter(folder_.path(), loaded).ok());
  for (size_t i = 0; i < 4; ++i) EXPECT_TRUE(loaded.parameter(i).equal(state_.parameter((i + 2) % 4))) << i;
}

TEST_F(AdapterFileTest, AMissingTensorIsNamed) {
  TrainableState more = stateWith(4, {kTwo[0], kTwo[1], "model.layers.4.self_attn.q_proj"});
  const Status read = loadAdapter(folder_.path(), more);
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.error().code, ErrorCode::InvalidInput);
  EXPECT_THAT(read.error().message(), HasSubstr("base_model.model.model.layers.4.self_attn.q_proj.lora_A.weight"));
}

TEST_F(AdapterFileTest, ATensorLeftOverIsNamed) {
  TrainableState fewer = stateWith(4, {kModule});
  const Status read = loadAdapter(folder_.path(), fewer);
  ASSERT_FALSE(read.ok());
  EXPECT_THAT(read.error().message(), HasSubstr("model.layers.3.self_attn.v_proj.lora_"));
}

TEST_F(AdapterFileTest, AnotherRankIsNamedWithBothShapes) {
  TrainableState other = stateWith(8, kTwo);
  const Status read = loadAdapter(folder_.path(), other);
  ASSERT_FALSE(read.ok());
  EXPECT_THAT(read.error().message(), AllOf(HasSubstr("[4, 10]"), HasSubstr("[8, 10]"), HasSubstr(kModule)));
}

// As many elements, turned around: only the shape tells.
TEST_F(AdapterFileTest, ATransposedTensorIsRefused) {
  auto file = weights::readSafetensors(folder_ / "adapter_model.safetensors");
  ASSERT_TRUE(file.ok());
  std::vector<weights::TensorToWrite> tensors;
  for (auto& [name, tensor] : file->tensors) {
    if (name.ends_with(kModule + ".lora_B.weight")) std::swap(tensor.shape[0], tensor.shape[1]);
    tensors.push_back({name, tensor.shape, tensor.values});
  }
  ASSERT_TRUE(weights::writeSafetensors(folder_ / "adapter_model.safetensors", tensors).ok());
  TrainableState loaded = stateWith(4, kTwo);
  const Status read = loadAdapter(folder_.path(), loaded);
  ASSERT_FALSE(read.ok());
  EXPECT_THAT(read.error().message(), AllOf(HasSubstr("[4, 6]"), HasSubstr("[6, 4]")));
}

TEST_F(AdapterFileTest, AFailedLoadLeavesTheParameters) {
  TrainableState other = stateWith(8, kTwo);
  other.parameters.fill_(3);
  EXPECT_FALSE(loadAdapter(folder_.path(), other).ok());
  EXPECT_TRUE(other.parameters.eq(3).all().item<bool>());
}

TEST_F(AdapterFileTest, BuffersRoundTripUnderTheEntriesNames) {
  state_.secondMoment.uniform_();
  ASSERT_TRUE(writeBuffer(folder_ / "second.safetensors", state_, state_.secondMoment).ok());
  TrainableState loaded = stateWith(4, kTwo);
  ASSERT_TRUE(readBuffer(folder_ / "second.safetensors", loaded, loaded.secondMoment).ok());
  EXPECT_TRUE(loaded.secondMoment.equal(state_.secondMoment));
  EXPECT_TRUE(loaded.parameters.eq(0).all().item<bool>());
}

// Each of these makes PEFT compute something else from the same tensors, or adds tensors of its own.
TEST_F(AdapterFileTest, OtherKindsAreRefusedByName) {
  EXPECT_THAT(refusal("peft_type", "IA3").message(), HasSubstr("peft_type"));
  for (const char* key : {"use_dora", "use_rslora", "fan_in_fan_out", "use_qalora", "lora_bias"}) {
    const Error error = refusal(key, true);
    EXPECT_EQ(error.code, ErrorCode::Unsupported) << key;
    EXPECT_THAT(error.message(), HasSubstr(key));
  }
  EXPECT_THAT(refusal("rank_pattern", {{"q_proj", 2}}).message(), HasSubstr("rank_pattern"));
  EXPECT_THAT(refusal("alpha_pattern", {{"q_proj", 2}}).message(), HasSubstr("alpha_pattern"));
  EXPECT_THAT(refusal("alora_invocation_tokens", {5, 6}).message(), HasSubstr("alora_invocation_tokens"));
  EXPECT_THAT(refusal("modules_to_save", {"lm_head"}).message(), HasSubstr("modules_to_save"));
  EXPECT_THAT(refusal("bias", "lora_only").message(), HasSubstr("bias"));
}

TEST_F(AdapterFileTest, ValuesOfTheWrongTypeAreErrorsNotExceptions) {
  EXPECT_EQ(refusal("peft_type", 5).code, ErrorCode::Unsupported);
  EXPECT_EQ(refusal("peft_type", nullptr).code, ErrorCode::Unsupported);
  for (const char* key : {"r", "lora_alpha", "lora_dropout", "target_modules"})
    EXPECT_EQ(refusal(key, Json::object()).code, ErrorCode::InvalidInput) << key;
  EXPECT_EQ(refusal("r", 0).code, ErrorCode::InvalidInput);
  EXPECT_EQ(refusal("r", -4).code, ErrorCode::InvalidInput);
  test::TemporaryFolder other;
  EXPECT_EQ(readAdapterInfo(other.path()).error().code, ErrorCode::NotFound);
  other.write("adapter_config.json", "[1]");
  EXPECT_FALSE(readAdapterInfo(other.path()).ok());
}

// What PEFT itself writes, with all the keys that it has.
TEST_F(AdapterFileTest, AConfigurationOfPeftIsRead) {
  const auto info = readAdapterInfo(std::string(TIDEMARK_GOLDEN) + "/engine/tiny/adapter");
  ASSERT_TRUE(info.ok()) << info.error().message();
  EXPECT_EQ(info->lora.r, 4);
  EXPECT_EQ(info->lora.targets.size(), 7u);
}

}  // namespace
}  // namespace tidemark::peft
