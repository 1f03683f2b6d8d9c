// The real Gemma 3 270M, where the scripts have installed it, against transformers reading the same file
// (tests/golden/engine/gemma3-270m.json); the architecture itself is tested in golden_test.cpp with a small random model.
#include <ATen/ATen.h>

#include <cmath>
#include <cstdlib>

#include "core/train/inference.h"
#include "core/train/iteration.h"
#include "golden_rows.h"

namespace tidemark::train {
namespace {

class Gemma3 : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::getenv("TIDEMARK_GEMMA_MODEL")) GTEST_SKIP() << "TIDEMARK_GEMMA_MODEL names no model file";
    auto opened = Inference::open(std::getenv("TIDEMARK_GEMMA_MODEL"), {});
    ASSERT_TRUE(opened.ok()) << opened.error().message();
    inference_ = std::move(opened).value();
    golden_ = readGolden("gemma3-270m.json");
  }
  at::Tensor lastLogits(const std::vector<int64_t>& ids) {
    const at::Tensor logits = inference_->logits(ids);
    return logits.select(0, logits.size(0) - 1);
  }

  std::unique_ptr<Inference> inference_;
  Json golden_;
};

TEST_F(Gemma3, LogitsEqualTransformers) {
  const int64_t stride = golden_["logit_stride"];
  for (const Json& prompt : golden_["prompts"]) {
    const auto ids = prompt["ids"].get<std::vector<int64_t>>();
    const auto tokens = inference_->tokenizer().encode(prompt["text"].get<std::string>(), text::SpecialTokens::AddAndParse);
    ASSERT_TRUE(tokens.ok());
    std::vector<int64_t> own;
    for (const text::Token& token : *tokens) own.push_back(token.id);
    EXPECT_EQ(own, ids);
    const at::Tensor last = lastLogits(ids);
    const auto reference = at::tensor(prompt["logits"].get<std::vector<double>>(), at::kDouble).to(at::kFloat);
    EXPECT_EQ(last.argmax().item<int64_t>(), prompt["argmax"].get<int64_t>());
    EXPECT_LT(last.slice(0, 0, std::nullopt, stride).sub(reference).abs().max().item<double>(), 1e-4 * std::abs(prompt["max"].get<double>()));
  }
}

// 700 tokens: the sliding layers' window is 512.
TEST_F(Gemma3, LossOfATextLongerThanTheWindowEqualsTransformers) {
  const std::vector<double> scores = inference_->logProbabilities(golden_["ids"].get<std::vector<int64_t>>());
  double all = 0, tail = 0;
  for (size_t i = 0; i < scores.size(); ++i) {
    all -= scores[i];
    if (i + 100 >= scores.size()) tail -= scores[i];
  }
  EXPECT_NEAR(all / static_cast<double>(scores.size()), golden_["loss"].get<double>(), 1e-5);
  EXPECT_NEAR(tail / 100, golden_["last_100_loss"].get<double>(), 1e-5);
}

// Token by token through the caches, of which sliding layers keep a window, as all at once.
TEST_F(Gemma3, GenerationBeyondTheWindowFollowsTheLogits) {
  auto ids = golden_["ids"].get<std::vector<int64_t>>();
  ids.resize(510);
  Inference::Sampling sampling;
  sampling.maxNewTokens = 5;
  const std::vector<int64_t> generated = inference_->generate(ids, sampling);
  ASSERT_EQ(generated.size(), 5u);
  for (const int64_t next : generated) {
    EXPECT_EQ(lastLogits(ids).argmax().item<int64_t>(), next);
    ids.push_back(next);
  }
}

}  // namespace
}  // namespace tidemark::train
