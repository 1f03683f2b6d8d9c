// What the engine computes with an adapter is what PEFT computes after loading the files that were written.
// Runs where TIDEMARK_PEFT_PYTHON names an interpreter with torch, transformers and peft.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

#include "core/train/iteration.h"
#include "core/weights/safetensors_writer.h"
#include "tests/base/temporary_folder.h"
#include "tests/train/golden_rows.h"

namespace tidemark::train {
namespace {

class PeftLogits : public testing::Test {
 protected:
  void SetUp() override {
    const char* python = std::getenv("TIDEMARK_PEFT_PYTHON");
    if (!python) GTEST_SKIP() << "TIDEMARK_PEFT_PYTHON names no interpreter";
    python_ = python;
  }

  void writeLogits(LoadedModel& loaded, std::vector<int64_t> ids) {
    std::vector<float> idValues(ids.begin(), ids.end());
    const std::vector<int64_t> idShape{static_cast<int64_t>(ids.size())};
    ids.push_back(0);  // nothing is computed from the last token
    IterationRunner runner(*loaded.model, loaded.ledger);
    const at::Tensor logits = loaded.model->vocabulary->logits(runner.hiddenStates(batchFromIds(ids, c10::Device(c10::kCPU)))).contiguous();
    const std::vector<int64_t> shape = logits.sizes().vec();
    const std::vector<weights::TensorToWrite> tensors{{"ids", idShape, idValues},
                                                      {"logits", shape, {logits.const_data_ptr<float>(), static_cast<size_t>(logits.numel())}}};
    ASSERT_TRUE(weights::writeSafetensors(folder_ / "logits.safetensors", tensors).ok());
  }

  struct Answer {
    double difference = -1, effect = -1;
  };
  Answer compare(const std::string& model, const std::string& adapter) {
    const std::string command = "'" + python_ + "' '" + std::string(TIDEMARK_GOLDEN) + "/peft/compare_logits.py' '" + model + "' '" +
                                adapter + "' '" + (folder_ / "logits.safetensors").string() + "'";
    Answer answer;
    FILE* pipe = ::popen(command.c_str(), "r");
    if (std::fscanf(pipe, "%lf %lf", &answer.difference, &answer.effect) != 2) ADD_FAILURE() << "no answer from: " << command;
    EXPECT_EQ(::pclose(pipe), 0) << command;
    return answer;
  }

  void expectEqualLogits(const std::string& model, const peft::LoraSettings& lora, const std::vector<int64_t>& ids) {
    LoadedModel loaded(model, lora);
    peft::TrainableState& state = *loaded.model->trainable;
    peft::initialiseLora(state, 5);
    state.parameters.add_(at::randn_like(state.parameters).mul_(0.03));
    const Status written = peft::writeAdapter(folder_.path(), state, {lora, model});
    ASSERT_TRUE(written.ok()) << written.error().message();
    writeLogits(loaded, ids);
    const Answer answer = compare(model, folder_.path().string());
    EXPECT_GT(answer.effect, 1e-2) << "the adapter changes too little to be seen";
    EXPECT_LT(answer.difference, 1e-4);
  }

  std::string python_;
  test::TemporaryFolder folder_;
};

TEST_F(PeftLogits, AllLinears) {
  expectEqualLogits(std::string(TIDEMARK_GOLDEN) + "/weights/tiny-llama", {4, 8, 0, {"all-linear"}}, {1, 5, 300, 17, 44, 2, 9});
}

TEST_F(PeftLogits, TwoTargetsAndDropoutOff) {
  expectEqualLogits(std::string(TIDEMARK_GOLDEN) + "/weights/tiny-llama", {3, 17, 0.5, {"k_proj", "down_proj"}}, {1, 5, 300, 17});
}

// The adapter of a finished run: TIDEMARK_ADAPTER names its folder, TIDEMARK_MODEL the model that it belongs to.
TEST_F(PeftLogits, AFinishedRunsAdapter) {
  if (!std::getenv("TIDEMARK_MODEL") || !std::getenv("TIDEMARK_ADAPTER")) GTEST_SKIP() << "TIDEMARK_MODEL or TIDEMARK_ADAPTER is not set";
  const std::string model = std::getenv("TIDEMARK_MODEL"), adapter = std::getenv("TIDEMARK_ADAPTER");
  const auto info = peft::readAdapterInfo(adapter);
  ASSERT_TRUE(info.ok()) << info.error().message();
  LoadedModel loaded(model, info->lora);
  const Status read = peft::loadAdapter(adapter, *loaded.model->trainable);
  ASSERT_TRUE(read.ok()) << read.error().message();
  writeLogits(loaded, {1, 504, 3575, 282, 4649, 314, 28, 198, 2, 77, 1500});
  const Answer answer = compare(model, adapter);
  EXPECT_GT(answer.effect, 1e-4) << "the run has learnt nothing";
  EXPECT_LT(answer.difference, 1e-4);
}

}  // namespace
}  // namespace tidemark::train
