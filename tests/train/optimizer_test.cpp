// AdamW, clipping and schedules against torch and transformers (tests/golden/train).
#include "core/train/optimizer.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/base/file.h"
#include "core/base/json.h"
#include "core/memory/ledger.h"

namespace tidemark::train {
namespace {

Json golden(const std::string& name) {
  const auto text = readFile(std::string(TIDEMARK_GOLDEN) + "/train/" + name);
  if (!text.ok()) throw std::runtime_error(text.error().message());
  return Json::parse(*text);
}

at::Tensor floats(const Json& values) { return at::tensor(values.get<std::vector<double>>(), at::kDouble).to(at::kFloat); }

peft::TrainableState stateOf(int64_t count) {
  peft::TrainableState state;
  state.add("values", {count, 1});
  state.allocate(c10::Device(c10::kCPU));
  return state;
}

AdamWSettings settingsOf(const Json& c) { return {c["beta1"], c["beta2"], c["epsilon"], c["weight_decay"]}; }

// Weights are near 1 and steps near 1e-2: 2e-7 is about two units in the last place.
constexpr double kTolerance = 2e-7;

TEST(AdamW, EqualsTorch) {
  const Json cases = golden("optimizer.json");
  ASSERT_EQ(cases.size(), 4u);
  for (const Json& c : cases) {
    SCOPED_TRACE("weight decay " + c["weight_decay"].dump() + ", beta1 " + c["beta1"].dump());
    peft::TrainableState state = stateOf(static_cast<int64_t>(c["start"].size()));
    state.parameters.copy_(floats(c["start"]));
    int64_t update = 0;
    for (const Json& step : c["steps"]) {
      state.gradients.copy_(floats(step["gradient"]));
      EXPECT_NEAR(clipGradients(state, c["max_norm"]), step["norm"].get<double>(), 1e-6 * step["norm"].get<double>());
      adamWUpdate(state, settingsOf(c), step["learning_rate"], ++update);
      EXPECT_LT(state.parameters.sub(floats(step["parameters"])).abs().max().item<double>(), kTolerance) << "update " << update;
    }
  }
}

// More elements than the optimizer takes at a time, so that its seams are seen.
TEST(AdamW, IsTheSameForEveryElementOfALargeState) {
  const Json c = golden("optimizer.json")[1];
  const auto size = static_cast<int64_t>(c["start"].size());
  const int64_t times = (600'000 + size - 1) / size;
  peft::TrainableState state = stateOf(times * size - 5);
  const auto tiled = [&](const Json& values) { return floats(values).repeat({times}).narrow(0, 0, times * size - 5); };
  state.parameters.copy_(tiled(c["start"]));
  int64_t update = 0;
  for (size_t i = 0; i < 5; ++i) {
    const Json& step = c["steps"][i];
    const double scale = std::min(1.0, c["max_norm"].get<double>() / (step["norm"].get<double>() + 1e-6));
    state.gradients.copy_(tiled(step["gradient"])).mul_(scale);
    adamWUpdate(state, settingsOf(c), step["learning_rate"], ++update);
    EXPECT_LT(state.parameters.sub(tiled(step["parameters"])).abs().max().item<double>(), kTolerance) << "update " << update;
  }
}

// The plan leaves this much free between iterations, and no more.
TEST(AdamW, NeedsNoMoreWorkspaceThanItSays) {
  for (const int64_t count : {100, 3'000'000}) {
    memory::Ledger ledger;
    const memory::LedgerScope installed(ledger);
    peft::TrainableState state = stateOf(count);
    state.gradients.fill_(2);
    const int64_t before = ledger.held().total();
    ledger.takePeaks();
    EXPECT_NEAR(clipGradients(state, 1), 2 * std::sqrt(static_cast<double>(count)), 1e-6 * std::sqrt(static_cast<double>(count)));
    adamWUpdate(state, {}, 1e-3, 1);
    EXPECT_LE(ledger.takePeaks().total - before, optimizerWorkspaceBytes(state)) << count;
  }
}

TEST(Clipping, LeavesSmallGradientsAndZeroMeansNever) {
  peft::TrainableState state = stateOf(4);
  state.gradients.fill_(3);  // norm 6
  EXPECT_DOUBLE_EQ(clipGradients(state, 0), 6);
  EXPECT_DOUBLE_EQ(clipGradients(state, 6.5), 6);
  EXPECT_TRUE(state.gradients.eq(3).all().item<bool>());
  EXPECT_DOUBLE_EQ(clipGradients(state, 1), 6);
  EXPECT_NEAR(state.gradients.norm().item<double>(), 1, 1e-6);
}

TEST(Schedule, EqualsTransformers) {
  const Json cases = golden("schedules.json");
  ASSERT_EQ(cases.size(), 21u);
  for (const Json& c : cases) {
    SCOPED_TRACE(c["type"].dump() + " " + c["warmup_ratio"].dump() + " of " + c["max_steps"].dump());
    for (size_t step = 0; step < c["rates"].size(); ++step)
      EXPECT_NEAR(learningRateAt({c["type"], 3e-4, c["warmup_ratio"], c["max_steps"]}, static_cast<int64_t>(step)),
                  3e-4 * c["rates"][step].get<double>(), 1e-16) << "step " << step;
  }
}

}  // namespace
}  // namespace tidemark::train
