// Predictions by formula against real runs: the peak that the ledger measured, by component, at budgets from the least to one
// that holds everything; and which budgets the engine refuses.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "core/fit/predictor.h"
#include "core/text/prepared_file.h"
#include "tests/train/rank_run.h"

namespace tidemark::fit {
namespace {
namespace fs = std::filesystem;

constexpr double kPeakTolerance = 0.03;
constexpr double kPartTolerance = 0.05;  // of the whole peak: a part may stand for another where two moments are nearly equal

class PredictionTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("tidemark-prediction-" + std::to_string(::getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  run::RunConfig config(const std::string& model, int64_t rowLength) const {
    run::RunConfig c;
    c.model = model;
    c.dataset.train = "rows";
    c.dataset.packing = false;
    c.dataset.maxSeqLength = rowLength;
    c.peft.r = 4;
    c.training.globalBatchSize = 4;
    c.training.microBatchSize = 2;
    c.training.maxSteps = 4;
    c.parallel.device = "cpu";
    c.output.checkpointEvery = 0;
    return c;
  }

  // Rows of equal length whose every token but the first is a target.
  std::vector<text::LabelledRow> rows(const run::RunConfig& c) const {
    std::vector<text::LabelledRow> all(static_cast<size_t>(c.training.maxSteps * c.training.globalBatchSize));
    for (size_t i = 0; i < all.size(); ++i)
      for (int64_t t = 0; t < c.dataset.maxSeqLength; ++t) {
        all[i].ids.push_back(static_cast<text::TokenId>((static_cast<int64_t>(i) * 131 + t * 37) % 320));
        all[i].hasLoss.push_back(t > 0);
      }
    return all;
  }

  Prediction predict(const run::RunConfig& c) {
    auto model = weights::ModelSource::open(c.model);
    EXPECT_TRUE(model.ok());
    const std::vector<text::RowSize> sizes(static_cast<size_t>(c.training.maxSteps * c.training.globalBatchSize),
                                           {c.dataset.maxSeqLength, c.dataset.maxSeqLength - 1});
    return Predictor(std::move(model).value(), std::make_shared<const RowLengths>(sizes, c.dataset.maxSeqLength)).predict(c);
  }

  train::RankRun run(const run::RunConfig& c) {
    EXPECT_TRUE(text::writePreparedFile(folder_ / "data.bin", rows(c), {}, 320).ok());
    return train::runRanks(folder_.string(), c);
  }

  void expectAgreement(const run::RunConfig& c, const std::string& name) {
    const Prediction p = predict(c);
    ASSERT_TRUE(p.fits) << name << p.refusal;
    const train::RankRun measured = run(c);
    for (const int code : measured.exitCodes) ASSERT_EQ(code, 0) << name << measured.failure();
    // The last step: the plan is exact by then.
    int64_t peak = 0, staticBytes = 0, trainableBytes = 0, remoteBytes = 0;
    for (size_t rank = 0; rank < measured.events.size(); ++rank) {
      const run::StepEvent last = measured.steps(rank).back();
      peak = std::max(peak, last.peakBytes);
      staticBytes = std::max(staticBytes, last.staticBytes);
      trainableBytes = std::max(trainableBytes, last.trainableBytes);
      remoteBytes = std::max(remoteBytes, last.remoteBytes / last.iterations);
    }
    const auto whole = static_cast<double>(peak);
    EXPECT_LE(peak, c.memory.budgetBytes) << name;
    EXPECT_NEAR(static_cast<double>(p.peak.total()), whole, kPeakTolerance * whole) << name << ", at " << p.peakMoment;
    EXPECT_NEAR(static_cast<double>(p.peak.staticBytes), static_cast<double>(staticBytes), kPartTolerance * whole) << name;
    EXPECT_NEAR(static_cast<double>(p.peak.trainableBytes), static_cast<double>(trainableBytes), kPartTolerance * whole) << name;
    EXPECT_NEAR(static_cast<double>(p.remoteBytes), static_cast<double>(remoteBytes), kPartTolerance * whole) << name;
  }

  // At the least budget, at the one that holds everything, and between them.
  void expectAgreementAtBudgets(run::RunConfig c, const std::string& name) {
    c.memory.budgetBytes = int64_t{1} << 40;
    const Prediction roomy = predict(c);
    ASSERT_TRUE(roomy.fits) << name << roomy.refusal;
    for (const double part : {0.1, 0.5, 1.1}) {
      c.memory.budgetBytes = roomy.leastBudgetBytes +
                             static_cast<int64_t>(part * static_cast<double>(roomy.wholeBudgetBytes - roomy.leastBudgetBytes));
      expectAgreement(c, name + " at " + std::to_string(part));
    }
  }

  fs::path folder_;
};

TEST_F(PredictionTest, ThePeakIsThatOfARunWithASmallModel) {
  run::RunConfig c = config(std::string(TIDEMARK_GOLDEN) + "/weights/tiny-llama", 65);
  for (const char* activations : {"save", "recompute"}) {
    c.memory.activations = activations;
    expectAgreementAtBudgets(c, activations);
  }
  c.memory.policy = "gather-always";
  c.memory.budgetBytes = int64_t{1} << 30;
  expectAgreement(c, "gather-always");
}

TEST_F(PredictionTest, ThePeakIsThatOfARunWithARealModel) {
  const char* model = std::getenv("TIDEMARK_MODEL");
  if (!model) GTEST_SKIP() << "TIDEMARK_MODEL names no model file";
  run::RunConfig c = config(model, 129);
  c.training.maxSteps = 3;
  c.memory.activations = "save";
  expectAgreementAtBudgets(c, "saved");
  c.memory.activations = "recompute";
  c.memory.weights = "stored";
  c.memory.budgetBytes = int64_t{1} << 30;
  expectAgreement(c, "stored, recomputed");
}

}  // namespace
}  // namespace tidemark::fit
