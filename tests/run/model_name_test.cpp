#include "core/run/model_name.h"

#include <gtest/gtest.h>

namespace tidemark::run {
namespace {

TEST(ModelName, IsTheNameOfTheFileOrFolder) {
  EXPECT_EQ(modelName("/models/SmolLM2-135M-Instruct.Q4_1.gguf"), "SmolLM2-135M-Instruct.Q4_1");
  EXPECT_EQ(modelName("/models/Qwen2.5-0.5B"), "Qwen2.5-0.5B");
  EXPECT_EQ(modelName("/models/Qwen2.5-0.5B/"), "Qwen2.5-0.5B");
  EXPECT_EQ(modelName("models/tiny.gguf"), "tiny");
}

TEST(ModelName, IsOrgAndNameInTheHubCache) {
  EXPECT_EQ(modelName("org/name"), "org/name");
  EXPECT_EQ(modelName("/c/hub/models--org--name-1.7B/snapshots/0123abcd"), "org/name-1.7B");
  EXPECT_EQ(modelName("/c/hub/models--gpt2/snapshots/0123abcd"), "gpt2");
}

}  // namespace
}  // namespace tidemark::run
