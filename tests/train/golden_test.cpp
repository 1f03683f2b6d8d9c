// The engine on one rank against transformers and PEFT (tests/golden/engine).
#include <ATen/ATen.h>

#include <cmath>

#include "core/model/rms_norm.h"
#include "core/train/iteration.h"
#include "core/train/optimizer.h"
#include "core/weights/safetensors.h"
#include "golden_rows.h"

namespace tidemark::train {
namespace {

const std::string kWeights = std::string(TIDEMARK_GOLDEN) + "/weights/";
const std::string kTinyModel = kWeights + "tiny-llama";
const peft::LoraSettings kTinyLora{4, 8, 0, {"all-linear"}};

at::Tensor tensorOf(const weights::LoadedSafetensors& file, const std::string& name) {
  const weights::LoadedTensor& t = file.tensors.at(name);
  return at::from_blob(const_cast<float*>(t.values.data()), t.shape, at::kFloat).clone();
}

weights::LoadedSafetensors load(const std::string& name) {
  auto loaded = weights::readSafetensors(kGolden + "/" + name);
  if (!loaded.ok()) throw std::runtime_error(loaded.error().message());
  return std::move(loaded).value();
}

at::Tensor logitsOf(LoadedModel& loaded, std::vector<int64_t> ids) {
  ids.push_back(0);  // nothing is computed from the last token
  IterationRunner runner(*loaded.model, loaded.ledger);
  return loaded.model->vocabulary->logits(runner.hiddenStates(batchFromIds(ids, c10::Device(c10::kCPU))));
}

// The largest difference, relative to the largest reference value.
double difference(const at::Tensor& a, const at::Tensor& b) {
  return (a.sub(b).abs().max() / b.abs().max()).item<double>();
}

// A random model of each architecture; tiny-gemma's rows are longer than its sliding window.
struct Tiny {
  const char* model;   // in tests/golden/weights
  const char* golden;  // in tests/golden/engine
  std::string path() const { return kWeights + model; }
  std::string file(const std::string& name) const { return std::string(golden) + "/" + name; }
  std::string adapter() const { return kGolden + "/" + golden + "/adapter"; }
};
class TinyModel : public testing::TestWithParam<Tiny> {};
INSTANTIATE_TEST_SUITE_P(Architectures, TinyModel, testing::Values(Tiny{"tiny-llama", "tiny"}, Tiny{"tiny-gemma", "tiny-gemma"}),
                         [](const auto& info) { return info.index == 0 ? "Llama" : "Gemma3"; });

TEST_P(TinyModel, LogitsEqualTransformers) {
  const Json golden = readGolden(GetParam().file("golden.json"));
  const auto expected = load(GetParam().file("logits.safetensors"));
  LoadedModel plain(GetParam().path(), {4, 8, 0, {}});
  LoadedModel adapted(GetParam().path(), kTinyLora);
  ASSERT_TRUE(peft::loadAdapter(GetParam().adapter(), *adapted.model->trainable).ok());
  for (size_t i = 0; i < golden["sequences"].size(); ++i) {
    const auto ids = golden["sequences"][i].get<std::vector<int64_t>>();
    EXPECT_LT(difference(logitsOf(plain, ids), tensorOf(expected, "base." + std::to_string(i))), 1e-4);
    EXPECT_LT(difference(logitsOf(adapted, ids), tensorOf(expected, "adapter." + std::to_string(i))), 1e-4);
  }
}

TEST_P(TinyModel, LossAndGradientsEqualPeft) {
  const Json golden = readGolden(GetParam().file("golden.json"));
  const auto expected = load(GetParam().file("gradients.safetensors"));
  const auto rows = goldenRows(golden["batch"]);
  LoadedModel loaded(GetParam().path(), kTinyLora);
  ASSERT_TRUE(peft::loadAdapter(GetParam().adapter(), *loaded.model->trainable).ok());
  const model::Batch batch = batchOf(rows, {0, 1, 2});
  const auto targets = static_cast<double>(batch.targets.size(0));
  IterationRunner runner(*loaded.model, loaded.ledger);
  EXPECT_NEAR(runner.evaluate(batch).lossSum / targets, golden["adapter_loss"].get<double>(), 1e-5);
  EXPECT_NEAR(runner.train(batch, 1 / targets, 0).lossSum / targets, golden["adapter_loss"].get<double>(), 1e-5);
  const peft::TrainableState& state = *loaded.model->trainable;
  for (size_t i = 0; i < state.entries().size(); ++i) {
    const std::string& name = state.entries()[i].name;
    EXPECT_LT(difference(state.gradient(i), tensorOf(expected, "base_model.model." + name)), 1e-4) << name;
  }
}

// Batches split into micro-batches of one row must give the same gradients as one batch.
TEST_P(TinyModel, StepsEqualPeftForEverySplit) {
  const Json golden = readGolden(GetParam().file("golden.json"));
  const Json& training = golden["training"];
  const auto rows = goldenRows(golden["rows"]);
  const auto stepCount = training["max_steps"].get<int64_t>();
  const double warmup = training["warmup_steps"].get<double>() / static_cast<double>(stepCount);
  const auto expected = load(GetParam().file("adapter_after_" + std::to_string(stepCount) + "_steps.safetensors"));
  for (const size_t microBatch : {size_t{4}, size_t{2}, size_t{1}}) {
    LoadedModel loaded(GetParam().path(), kTinyLora);
    peft::TrainableState& state = *loaded.model->trainable;
    ASSERT_TRUE(peft::loadAdapter(GetParam().adapter(), state).ok());
    IterationRunner runner(*loaded.model, loaded.ledger);
    int64_t step = 0;
    for (const Json& reference : training["steps"]) {
      const auto which = reference["rows"].get<std::vector<size_t>>();
      double targets = 0, lossSum = 0;
      for (const size_t row : which) targets += static_cast<double>(rows[row].view().targetCount);
      for (size_t at = 0; at < which.size(); at += microBatch)
        lossSum += runner.train(batchOf(rows, {which.begin() + static_cast<long>(at), which.begin() + static_cast<long>(at + microBatch)}), 1 / targets, 0).lossSum;
      EXPECT_NEAR(lossSum / targets, reference["loss"].get<double>(), step == 0 ? 1e-5 : 1e-3) << "step " << step;
      EXPECT_NEAR(clipGradients(state, 1.0), reference["grad_norm"].get<double>(), 1e-3 * reference["grad_norm"].get<double>());
      const double learningRate = learningRateAt({"cosine", 1e-3, warmup, stepCount}, step);
      EXPECT_NEAR(learningRate, reference["learning_rate"].get<double>(), 1e-9);
      adamWUpdate(state, {}, learningRate, ++step);
      state.gradients.zero_();
    }
    for (size_t i = 0; i < state.entries().size(); ++i)
      EXPECT_LT(difference(state.parameter(i), tensorOf(expected, "base_model.model." + state.entries()[i].name)), 2e-3) << state.entries()[i].name;
  }
}

// Rows packed into one sequence do not see each other.
TEST_P(TinyModel, PackedLossEqualsSeparateLoss) {
  const Json golden = readGolden(GetParam().file("golden.json"));
  const auto rows = goldenRows(golden["rows"]);
  LoadedModel loaded(GetParam().path(), kTinyLora);
  ASSERT_TRUE(peft::loadAdapter(GetParam().adapter(), *loaded.model->trainable).ok());
  IterationRunner runner(*loaded.model, loaded.ledger);
  double separate = 0;
  for (size_t i = 0; i < 5; ++i) separate += runner.evaluate(batchOf(rows, {i})).lossSum;
  EXPECT_NEAR(runner.evaluate(batchOf(rows, {0, 1, 2, 3, 4})).lossSum, separate, 1e-4);
}

// Adapters on the last layer alone: no backward below, the same gradients above.
TEST(TinyLlama, NoBackwardBelowTheLowestAdapter) {
  LoadedModel loaded(kTinyModel, {4, 8, 0, {"q_proj", "down_proj"}});
  EXPECT_EQ(loaded.model->lowestAdapter(), 0u);
  LoadedModel mlpOnly(kTinyModel, {4, 8, 0, {"gate_proj"}});
  EXPECT_EQ(mlpOnly.model->lowestAdapter(), 1u);
  const auto rows = goldenRows(readGolden("tiny/golden.json")["rows"]);
  IterationRunner runner(*mlpOnly.model, mlpOnly.ledger);
  peft::TrainableState& state = *mlpOnly.model->trainable;
  peft::initialiseLora(state, 1);
  state.parameters.add_(0.01);
  runner.train(batchOf(rows, {0, 1}), 1.0, 0);
  // Against a finite difference along the gradient itself.
  const at::Tensor direction = state.gradients / state.gradients.norm();
  const double slope = state.gradients.norm().item<double>(), h = 1e-2;
  state.parameters.add_(direction, h);
  const double above = runner.evaluate(batchOf(rows, {0, 1})).lossSum;
  state.parameters.add_(direction, -2 * h);
  const double below = runner.evaluate(batchOf(rows, {0, 1})).lossSum;
  EXPECT_NEAR((above - below) / (2 * h), slope, 0.02 * slope);
}

// The dropout mask of backward is that of forward: gradients follow a finite difference with the mask held fixed.
TEST(TinyLlama, DropoutMaskIsTheSameInBackward) {
  LoadedModel loaded(kTinyModel, {4, 8, 0.3, {"all-linear"}});
  peft::TrainableState& state = *loaded.model->trainable;
  peft::initialiseLora(state, 1);
  state.parameters.add_(0.01);
  const auto rows = goldenRows(readGolden("tiny/golden.json")["rows"]);
  IterationRunner runner(*loaded.model, loaded.ledger);
  constexpr uint64_t kSeed = 77;
  const auto lossWith = [&] { return runner.train(batchOf(rows, {0, 1}), 1.0, kSeed).lossSum; };
  const double first = lossWith();
  const at::Tensor gradient = state.gradients.clone();
  EXPECT_EQ(lossWith(), first);
  EXPECT_NE(runner.train(batchOf(rows, {0, 1}), 1.0, kSeed + 2).lossSum, first);
  const double slope = gradient.norm().item<double>(), h = 1e-2;
  state.parameters.add_(gradient / slope, h);
  const double above = lossWith();
  state.parameters.add_(gradient / slope, -2 * h);
  EXPECT_NEAR((above - lossWith()) / (2 * h), slope, 0.02 * slope);
}

// The real model, where the scripts have installed it.
class SmolLm : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::getenv("TIDEMARK_MODEL")) GTEST_SKIP() << "TIDEMARK_MODEL names no model file";
    path_ = std::getenv("TIDEMARK_MODEL");
  }
  std::string path_;
};

TEST_F(SmolLm, LogitsEqualTransformers) {
  const Json golden = readGolden("smollm2.json");
  LoadedModel loaded(path_, {8, 16, 0, {}});
  const int64_t stride = golden["logit_stride"];
  for (const Json& prompt : golden["prompts"]) {
    const at::Tensor logits = logitsOf(loaded, prompt["ids"].get<std::vector<int64_t>>());
    const at::Tensor last = logits.select(0, logits.size(0) - 1);
    const auto reference = at::tensor(prompt["logits"].get<std::vector<double>>(), at::kDouble).to(at::kFloat);
    EXPECT_EQ(last.argmax().item<int64_t>(), prompt["argmax"].get<int64_t>());
    EXPECT_LT(last.slice(0, 0, std::nullopt, stride).sub(reference).abs().max().item<double>(), 1e-4 * std::abs(prompt["max"].get<double>()));
  }
}

float goldenValue(uint32_t k, uint32_t j, double scale) {
  uint32_t x = (k + 1) * 2654435761u + (j + 1) * 2246822519u;
  x ^= x >> 15, x *= 2246822519u, x ^= x >> 13;
  return static_cast<float>(scale * (static_cast<double>(x) / 4294967296.0 * 2.0 - 1.0));
}

TEST_F(SmolLm, FirstLossAndGradientsEqualPeft) {
  const Json golden = readGolden("smollm2.json"), &adapter = golden["adapter"];
  LoadedModel loaded(path_, {8, 16, 0, {"all-linear"}});
  peft::TrainableState& state = *loaded.model->trainable;
  const std::vector<std::string> order{"q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"};
  for (size_t i = 0; i < state.entries().size(); ++i) {
    const std::string& name = state.entries()[i].name;  // model.layers.3.mlp.up_proj.lora_B.weight
    const int layer = std::atoi(name.c_str() + std::string("model.layers.").size());
    size_t position = 0;
    while (name.find("." + order[position] + ".") == std::string::npos) ++position;
    at::Tensor values = state.parameter(i);
    const double scale = name.find("lora_A") != std::string::npos ? 0.05 : 0.1;
    float* out = values.mutable_data_ptr<float>();
    for (int64_t k = 0; k < values.numel(); ++k) out[k] = goldenValue(static_cast<uint32_t>(k), static_cast<uint32_t>(7 * layer) + static_cast<uint32_t>(position), scale);
  }
  const model::Batch batch = batchFromIds(golden["ids"].get<std::vector<int64_t>>(), c10::Device(c10::kCPU));
  const auto targets = static_cast<double>(batch.targets.size(0));
  IterationRunner runner(*loaded.model, loaded.ledger);
  EXPECT_NEAR(runner.train(batch, 1 / targets, 0).lossSum / targets, adapter["loss"].get<double>(), 1e-5);
  for (size_t i = 0; i < state.entries().size(); ++i) {
    const std::string name = "base_model.model." + state.entries()[i].name;
    const double norm = adapter["gradient_norms"].at(name);
    EXPECT_NEAR(state.gradient(i).norm().item<double>(), norm, 5e-5 * norm) << name;
    if (!adapter["first_gradients"].contains(name)) continue;
    const auto reference = at::tensor(adapter["first_gradients"][name].get<std::vector<double>>(), at::kDouble).to(at::kFloat);
    const at::Tensor first = state.gradient(i).flatten().narrow(0, 0, reference.numel());
    EXPECT_LT(first.sub(reference).norm().item<double>(), 5e-5 * norm) << name;
  }
}

}  // namespace
}  // namespace tidemark::train
