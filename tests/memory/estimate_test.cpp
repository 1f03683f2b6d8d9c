// The estimate against what the ledger of a real run measures, and its least budget against the engine's own refusal.
#include "core/memory/estimate.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "core/text/prepared_file.h"
#include "core/weights/model_source.h"
#include "tests/train/rank_run.h"

namespace tidemark::memory {
namespace {
namespace fs = std::filesystem;

constexpr double kTolerance = 0.03;

void expectNear(int64_t estimated, int64_t measured, const std::string& what) {
  EXPECT_NEAR(static_cast<double>(estimated), static_cast<double>(measured), kTolerance * static_cast<double>(measured)) << what;
}

struct Case {
  std::string model;
  int64_t ranks = 1, microBatch = 1, rowLength = 65;
  std::vector<std::string> targets{"all-linear"};
  double dropout = 0;
  std::string policy = "gather-always";
  std::string weights = "float32";
  std::string activations = "auto";
};

class EstimateTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("tidemark-estimate-" + std::to_string(::getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  static Case tiny() { return {std::string(TIDEMARK_GOLDEN) + "/weights/tiny-llama", 2, 2}; }

  static Estimate estimate(const Case& c) {
    const auto source = weights::ModelSource::open(c.model);
    EXPECT_TRUE(source.ok());
    EstimateInput in = estimateInputOf(**source, weights::weightForm(c.weights).value());
    in.r = 4;
    in.dropout = c.dropout;
    in.mayRecompute = true;
    in.targets = c.targets;
    in.longestRow = c.rowLength - 1;
    in.tokens = in.rankTargets = c.microBatch * in.longestRow;
    in.allTargets = c.ranks * in.rankTargets;
    in.ranks = c.ranks;
    in.policy = c.policy == "unsharded" ? Policy::Unsharded : Policy::GatherAlways;
    return estimateMemory(in).value();
  }

  train::RankRun run(const Case& c, int64_t budgetBytes) {
    run::RunConfig config;
    config.model = c.model;
    config.dataset.train = "rows";
    config.dataset.packing = false;
    config.dataset.maxSeqLength = c.rowLength;
    config.peft.r = 4;
    config.peft.loraDropout = c.dropout;
    config.peft.targetModules = c.targets;
    config.training.globalBatchSize = c.ranks * c.microBatch;
    config.training.microBatchSize = c.microBatch;
    config.training.maxSteps = 3;
    config.memory.policy = c.policy;
    config.memory.activations = c.activations;
    config.memory.weights = c.weights;
    config.memory.budgetBytes = budgetBytes;
    config.parallel.device = "cpu";
    config.parallel.ranks = c.ranks;
    config.output.checkpointEvery = 0;
    // Rows of equal length whose every token but the first is a target.
    std::vector<text::LabelledRow> rows(static_cast<size_t>(3 * config.training.globalBatchSize));
    for (size_t i = 0; i < rows.size(); ++i)
      for (int64_t t = 0; t < c.rowLength; ++t) {
        rows[i].ids.push_back(static_cast<text::TokenId>((static_cast<int64_t>(i) * 131 + t * 37) % 320));
        rows[i].hasLoss.push_back(t > 0);
      }
    EXPECT_TRUE(text::writePreparedFile(folder_ / "data.bin", rows, {}, 320).ok());
    return train::runRanks(folder_.string(), config);
  }

  // The greatest over ranks, since the estimate speaks of the rank with the most.
  static int64_t greatest(const train::RankRun& run, int64_t run::StepEvent::* figure) {
    int64_t most = 0;
    for (size_t rank = 0; rank < run.events.size(); ++rank)
      for (const run::StepEvent& step : run.steps(rank)) most = std::max(most, step.*figure);
    return most;
  }

  void expectAgreement(Case c, const std::string& name) {
    const Estimate estimated = estimate(c);
    c.activations = "save";  // what the estimate tells of each operator
    const train::RankRun measured = run(c, 4 * estimated.wholeBudgetBytes);
    for (const int code : measured.exitCodes) ASSERT_EQ(code, 0) << name << measured.failure();
    expectNear(estimated.staticBytes, greatest(measured, &run::StepEvent::staticBytes), name + ": static");
    expectNear(estimated.trainableBytes, greatest(measured, &run::StepEvent::trainableBytes), name + ": trainable");
    expectNear(estimated.activationBytes, greatest(measured, &run::StepEvent::activationPeakBytes), name + ": activation");
    expectNear(estimated.workspaceBytes, greatest(measured, &run::StepEvent::workspacePeakBytes), name + ": workspace");
    size_t seen = 0;
    for (const run::Event& event : measured.events[0]) {
      const auto* op = std::get_if<run::OperatorEvent>(&event.body);
      if (!op) continue;
      ASSERT_LT(seen, estimated.operators.size());
      const OperatorEstimate& expected = estimated.operators[seen++];
      EXPECT_EQ(expected.name, op->name);
      EXPECT_EQ(expected.remoteBytes, op->remoteBytes) << name << " " << op->name;
      expectNear(expected.activationBytes, op->activationBytes, name + " " + op->name + ": activation");
      // How many rows the others ask for depends on the tokens: the estimate is what they ask for at worst.
      if (op->name == "embedding" && c.ranks > 1) EXPECT_GE(expected.workspaceBytes, op->workspaceBytes) << name;
      else expectNear(expected.workspaceBytes, op->workspaceBytes, name + " " + op->name + ": workspace");
    }
    EXPECT_EQ(seen, estimated.operators.size());
  }

  fs::path folder_;
};

TEST_F(EstimateTest, AgreesWithTheLedgerOnEveryOperator) {
  Case c = tiny();
  expectAgreement(c, "two ranks");
  c.ranks = 1;
  expectAgreement(c, "one rank");
  c.policy = "unsharded";
  c.ranks = 2;
  expectAgreement(c, "unsharded");
}

TEST_F(EstimateTest, AgreesWhateverTheAdapterIsOn) {
  for (const std::vector<std::string>& targets :
       {std::vector<std::string>{"q_proj", "v_proj"}, {"o_proj"}, {"down_proj"}, {"gate_proj"}}) {
    Case c = tiny();
    c.targets = targets;
    expectAgreement(c, targets[0]);
  }
  Case c = tiny();
  c.dropout = 0.1;
  expectAgreement(c, "dropout");
}

// Rows of 64 and 20 tokens over a window of 12: attention runs in stretches.
TEST_F(EstimateTest, AgreesOnGemma) {
  for (const int64_t rowLength : {65, 21}) {
    Case c{std::string(TIDEMARK_GOLDEN) + "/weights/tiny-gemma", 2, 2, rowLength};
    expectAgreement(c, "gemma, rows of " + std::to_string(rowLength));
  }
}

TEST_F(EstimateTest, TheEngineWorksWithTheLeastBudgetAndNotMuchBelowIt) {
  for (const int64_t rowLength : {33, 129}) {
    Case c = tiny();
    c.rowLength = rowLength;
    c.policy = "elastic";
    const int64_t least = estimate(c).leastBudgetBytes;
    for (const int code : run(c, least * 103 / 100).exitCodes) EXPECT_EQ(code, 0) << rowLength;
    for (const int code : run(c, least * 95 / 100).exitCodes) EXPECT_NE(code, 0) << rowLength;
  }
}

TEST_F(EstimateTest, NothingIsGatheredAgainWithTheWholeBudget) {
  Case c = tiny();
  c.policy = "elastic";
  c.activations = "save";
  const train::RankRun enough = run(c, estimate(c).wholeBudgetBytes * 103 / 100);
  ASSERT_EQ(enough.steps().size(), 3u) << enough.failure();
  EXPECT_EQ(enough.steps().back().remoteBytes, 0);
  const train::RankRun less = run(c, estimate(c).wholeBudgetBytes * 95 / 100);
  ASSERT_EQ(less.steps().size(), 3u) << less.failure();
  EXPECT_GT(less.steps().back().remoteBytes, 0);
}

TEST_F(EstimateTest, AgreesOnARealModel) {
  const char* model = std::getenv("TIDEMARK_MODEL");
  if (!model) GTEST_SKIP() << "TIDEMARK_MODEL names no model file";
  Case c{model, 2, 1, 257};
  expectAgreement(c, "real model");
  for (const char* weights : {"stored", "nf4"}) {
    c.weights = weights;
    expectAgreement(c, std::string("real model, ") + weights);
  }
}

TEST_F(EstimateTest, RefusesSizesThatCannotBe) {
  EXPECT_FALSE(estimateMemory({}).ok());
  EstimateInput in{2, 8, 16, 2, 1, 4, 32, true, 4, 0, {"no_proj"}, 8, 8, 8, 8};
  const auto refused = estimateMemory(in);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().subject, "peft.target_modules");
}

}  // namespace
}  // namespace tidemark::memory
