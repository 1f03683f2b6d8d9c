// Two thousand steps with rows of very different length in a tight budget: memory does not grow, and the cache does in the
// last step what its plan said in the first.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "core/text/prepared_file.h"
#include "rank_run.h"
#include "tests/base/temporary_folder.h"

namespace tidemark::train {
namespace {

constexpr int64_t kSteps = 2000, kSettled = 200;

std::vector<text::LabelledRow> rowsOfManyLengths() {
  std::mt19937 random(5);
  std::vector<text::LabelledRow> rows;
  for (int i = 0; i < 400; ++i) {
    text::LabelledRow row;
    const auto length = static_cast<size_t>(4 + random() % 60);
    for (size_t t = 0; t < length; ++t) {
      row.ids.push_back(static_cast<text::TokenId>(random() % 320));
      row.hasLoss.push_back(t > length / 3);
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

run::RunConfig configuration(const std::string& policy) {
  run::RunConfig c;
  c.model = std::string(TIDEMARK_GOLDEN) + "/weights/tiny-llama";
  c.dataset.train = "rows";
  c.dataset.packing = false;
  c.dataset.maxSeqLength = 64;
  c.training.globalBatchSize = 8;
  c.training.microBatchSize = 2;
  c.training.maxSteps = kSteps;
  c.training.learningRate = 1e-3;
  c.memory.policy = policy;
  c.memory.activations = "save";
  c.memory.accumulation = "depth-first";
  c.parallel.device = "cpu";
  c.parallel.ranks = 2;
  c.output.checkpointEvery = 500;
  return c;
}

TEST(Soak, TwoThousandStepsHoldThePlan) {
  const test::TemporaryFolder folder;
  const auto run = [&](const std::string& name, const run::RunConfig& c, const RankRunOptions& options) {
    const auto directory = folder / name;
    std::filesystem::create_directories(directory);
    EXPECT_TRUE(text::writePreparedFile(directory / "data.bin", rowsOfManyLengths(), {}, 320).ok());
    const RankRun result = runRanks(directory.string(), c, options);
    for (const int code : result.exitCodes) EXPECT_EQ(code, options.stopAfterStep > 0 ? 130 : 0) << result.failure();
    return result;
  };
  const int64_t most = run("all", configuration("elastic"), {false, 3}).plans().back().predictedPeakBytes;
  const int64_t least = run("none", configuration("gather-always"), {false, 3}).plans().back().predictedPeakBytes;
  run::RunConfig c = configuration("elastic");
  c.memory.budgetBytes = (most + least) / 2;
  const RankRun result = run("soak", c, {});
  for (size_t rank = 0; rank < 2; ++rank) {
    const auto steps = result.steps(rank);
    const auto plans = result.plans(rank);
    ASSERT_EQ(steps.size(), static_cast<size_t>(kSteps));
    EXPECT_LE(plans.size(), 3u) << "the longest batch was known from the start";
    int64_t peak = 0, settled = 0, last = 0;
    for (const run::StepEvent& step : steps) {
      peak = std::max(peak, step.peakBytes);
      if (step.step <= kSettled) settled = std::max(settled, step.residentBytes);
      if (step.step > kSteps - kSettled) last = std::max(last, step.residentBytes);
      if (step.step > 4) { ASSERT_EQ(step.remoteBytes, plans.back().predictedRemoteBytes * step.iterations) << "step " << step.step; }
    }
    EXPECT_GT(plans.back().predictedRemoteBytes, 0) << "a cache that holds everything shows nothing";
    EXPECT_LE(peak, c.memory.budgetBytes);
    EXPECT_LE(peak, plans.back().predictedPeakBytes);
    EXPECT_LE(last, settled + (4 << 20)) << "resident memory grew";
  }
}

}  // namespace
}  // namespace tidemark::train
