// Predictions, searches and neighbours by formulas alone, on the shape of a small model that lies with the tests.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>

#include "core/fit/neighbours.h"
#include "core/fit/profile.h"
#include "core/fit/search.h"

namespace tidemark::fit {
namespace {

class Fit : public testing::Test {
 protected:
  void SetUp() override { open(std::string(TIDEMARK_GOLDEN) + "/weights/tiny-llama"); }
  void open(const std::string& path) {
    auto source = weights::ModelSource::open(path);
    ASSERT_TRUE(source.ok()) << source.error().message();
    model_ = std::move(source).value();
    predictor_ = std::make_unique<Predictor>(model_, rows_);
    Machine machine;
    machine.operationsPerSecond = {1e12, Origin::Given};
    machine.bytesPerSecond = {1e9, Origin::Given};
    predictor_->setMachine(machine);
  }
  static run::RunConfig config() {
    run::RunConfig c;
    c.model = "m";
    c.dataset.train = "d";
    c.dataset.maxSeqLength = 65;
    c.training.microBatchSize = 2;
    c.memory.budgetBytes = 1 << 30;
    return c;
  }

  std::shared_ptr<const RowLengths> rows_ = std::make_shared<const RowLengths>(std::vector<text::RowSize>(64, {65, 60}), 65);
  std::shared_ptr<const weights::ModelSource> model_;
  std::unique_ptr<Predictor> predictor_;
};

TEST_F(Fit, ThePartsOfThePeakAddUpAndStayWithinTheBudget) {
  const Prediction roomy = predictor_->predict(config());
  ASSERT_TRUE(roomy.fits) << roomy.refusal;
  EXPECT_EQ(roomy.remoteBytes, 0);
  EXPECT_EQ(roomy.accumulate, 4);
  EXPECT_GT(roomy.peak.dynamicBytes, 0);
  for (int64_t budget = roomy.leastBudgetBytes; budget < roomy.wholeBudgetBytes; budget += (roomy.wholeBudgetBytes - roomy.leastBudgetBytes) / 7) {
    run::RunConfig tight = config();
    tight.memory.budgetBytes = budget;
    const Prediction p = predictor_->predict(tight);
    ASSERT_TRUE(p.fits) << budget;
    EXPECT_LE(p.peak.total(), budget);
    EXPECT_LE(p.tokensPerSecond, 1.001 * roomy.tokensPerSecond) << budget;
    for (const int64_t part : {p.peak.staticBytes, p.peak.trainableBytes, p.peak.activationBytes, p.peak.dynamicBytes, p.peak.workspaceBytes})
      EXPECT_GE(part, 0) << budget << " " << p.peakMoment;
  }
  run::RunConfig less = config();
  less.memory.budgetBytes = roomy.leastBudgetBytes - 1;
  EXPECT_FALSE(predictor_->predict(less).fits);
}

TEST_F(Fit, AnAutomaticMicroBatchIsTheFastestThatFits) {
  run::RunConfig automatic = config();
  automatic.training.microBatchSize = 0;
  const Prediction chosen = predictor_->predict(automatic);
  ASSERT_TRUE(chosen.fits);
  for (const int64_t batch : {1, 2, 4, 8}) {
    run::RunConfig fixed = config();
    fixed.training.microBatchSize = batch;
    EXPECT_LE(predictor_->predict(fixed).tokensPerSecond, chosen.tokensPerSecond / 0.98) << batch;
  }
}

TEST_F(Fit, WhatCannotBeSaysWhy) {
  run::RunConfig odd = config();
  odd.parallel.ranks = 3;
  EXPECT_NE(predictor_->predict(odd).refusal.find("global_batch_size"), std::string::npos) << predictor_->predict(odd).refusal;
  run::RunConfig shorter = config();
  shorter.dataset.maxSeqLength = 20;
  EXPECT_NE(predictor_->predict(shorter).refusal.find("no row"), std::string::npos);
  shorter.dataset.truncation = "error";
  EXPECT_FALSE(predictor_->predict(shorter).fits);
}

TEST_F(Fit, WithoutTheMachinesSpeedNoneIsTold) {
  predictor_->setMachine({});
  const Prediction p = predictor_->predict(config());
  EXPECT_TRUE(p.fits);
  EXPECT_FALSE(p.hasSpeed);
}

TEST_F(Fit, ManyRanksHoldLittleEach) {
  run::RunConfig many = config();
  many.parallel.ranks = 1024;
  many.training.globalBatchSize = 2048;
  const Prediction p = predictor_->predict(many);
  ASSERT_TRUE(p.fits) << p.refusal;
  EXPECT_LT(p.peak.staticBytes, predictor_->predict(config()).peak.staticBytes / 4);
  EXPECT_NE(p.binds, Binds::Compute) << "each message has its latency";
}

TEST_F(Fit, ASearchPutsTheFastestThatFitsFirst) {
  run::RunConfig tight = config();
  tight.memory.budgetBytes = (predictor_->predict(tight).leastBudgetBytes + predictor_->predict(tight).wholeBudgetBytes) / 2;
  const auto ranks = parseVariation("parallel.ranks=1,2,4");
  ASSERT_TRUE(ranks.ok());
  std::vector<Variation> variations{*ranks};
  for (Variation& v : defaultVariations(tight, variations)) variations.push_back(std::move(v));
  const auto found = search(*predictor_, tight, variations);
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(found->size(), 3u * 3 * 4);
  for (size_t i = 1; i < found->size(); ++i) {
    const Prediction &before = (*found)[i - 1].prediction, &after = (*found)[i].prediction;
    EXPECT_GE(before.fits, after.fits);
    if (after.fits) {
      EXPECT_GE(before.tokensPerSecond, after.tokensPerSecond);
    }
  }
  EXPECT_TRUE(found->front().prediction.fits);
  EXPECT_EQ(found->front().settings.front().first, "parallel.ranks");
}

TEST_F(Fit, VariationsAreReadStrictly) {
  EXPECT_EQ(parseVariation("peft.r=4,8,4")->values, (std::vector<std::string>{"4", "8"}));
  for (const char* wrong : {"peft.r", "=4", "peft.r=", "peft.r=4,x", "peft.rr=4", "memory.weights=nf4,fp8"}) EXPECT_FALSE(parseVariation(wrong).ok()) << wrong;
  std::vector<Variation> large;
  for (const char* key : {"peft.r", "training.seed"}) {
    large.push_back({key, {}});
    for (int i = 1; i <= 100; ++i) large.back().values.push_back(std::to_string(i));
  }
  EXPECT_FALSE(search(*predictor_, config(), large).ok()) << "10,000 combinations";
}

TEST_F(Fit, NeighboursOfWhatDoesNotFitDoFit) {
  run::RunConfig tight = config();
  tight.memory.budgetBytes = predictor_->predict(tight).leastBudgetBytes * 9 / 10;
  const Prediction present = predictor_->predict(tight);
  ASSERT_FALSE(present.fits);
  const auto all = neighbours(*predictor_, present);
  ASSERT_FALSE(all.empty());
  bool namesLength = false;
  for (const Neighbour& n : all) {
    run::RunConfig changed = present.config;
    ASSERT_TRUE(run::setKey(changed, n.key, n.value).ok()) << n.key;
    EXPECT_TRUE(predictor_->predict(changed).fits) << n.key << "=" << n.value;
    namesLength = namesLength || n.key == "dataset.max_seq_length";
  }
  EXPECT_FALSE(namesLength) << "rows of 65 tokens are left out by any shorter limit";
}

TEST_F(Fit, NeighboursOfWhatFitsAreFasterOrSmaller) {
  run::RunConfig tight = config();
  tight.memory.budgetBytes = predictor_->predict(tight).leastBudgetBytes * 11 / 10;
  const Prediction present = predictor_->predict(tight);
  ASSERT_TRUE(present.fits);
  ASSERT_GT(present.remoteBytes, 0);
  const auto all = neighbours(*predictor_, present);
  ASSERT_FALSE(all.empty());
  for (const Neighbour& n : all)
    EXPECT_TRUE(n.prediction.tokensPerSecond > present.tokensPerSecond || n.prediction.leastBudgetBytes < present.leastBudgetBytes) << n.key;
}

// A profile that measured what the formulas say changes nothing but the origin; one that took twice as long halves the speed.
TEST_F(Fit, AProfileCorrectsTheFormulas) {
  Machine machine = predictor_->machine();
  machine.latencySeconds = {0, Origin::Given};
  machine.bytesPerSecond = {1e15, Origin::Given};  // computing alone is compared
  predictor_->setMachine(machine);
  const Prediction computed = predictor_->predict(config());
  memory::EstimateInput alone = memory::estimateInputOf(*model_, weights::WeightForm::Float32);
  alone.targets = {"all-linear"};
  alone.tokens = alone.longestRow = 64;
  alone.rankTargets = alone.allTargets = 60;
  const auto formulas = formulaFigures(alone, predictor_->machine());
  ASSERT_TRUE(formulas.ok()) << formulas.error().message();
  Profile profile{"float32", formulas->figures, formulas->estimate.staticBytes + formulas->estimate.trainableBytes, 60, 64, 64};
  const auto reread = profileFrom(*parseJson(toJson(profile).dump(), "test"));
  ASSERT_TRUE(reread.ok()) << reread.error().message();
  predictor_->addProfile(*reread, config());
  const Prediction same = predictor_->predict(config());
  EXPECT_TRUE(same.isProfiled);
  EXPECT_NEAR(static_cast<double>(same.peak.total()), static_cast<double>(computed.peak.total()), 64);
  EXPECT_NEAR(same.tokensPerSecond, computed.tokensPerSecond, 1e-3 * computed.tokensPerSecond);
  for (memory::OperatorFigures* f : {&profile.figures.embedding, &profile.figures.lossHead}) f->forwardSeconds *= 2;
  for (memory::OperatorFigures& f : profile.figures.operators) {
    f.forwardSeconds *= 2;
    f.backwardSeconds *= 2;
    f.activationBytes *= 2;
    f.forwardPeakBytes = 2 * f.forwardPeakBytes - profile.fixedBytes;
    f.backwardPeakBytes = 2 * f.backwardPeakBytes - profile.fixedBytes;
  }
  predictor_->addProfile(profile, config());
  const Prediction slower = predictor_->predict(config());
  EXPECT_NEAR(slower.tokensPerSecond, computed.tokensPerSecond / 2, 0.05 * computed.tokensPerSecond);
  EXPECT_GT(slower.peak.activationBytes, 3 * computed.peak.activationBytes / 2);
  EXPECT_FALSE(profileFrom(Json{{"event", "profile"}}).ok());
}

TEST_F(Fit, HundredsOfChoicesOfARealModelTakeUnderASecond) {
  const char* path = std::getenv("TIDEMARK_MODEL");
  if (!path) GTEST_SKIP() << "TIDEMARK_MODEL names no model file";
  open(path);
  run::RunConfig c = config();
  c.memory.budgetBytes = 600 << 20;
  const auto r = parseVariation("peft.r=4,8,16,32"), ranks = parseVariation("parallel.ranks=1,2,4,8");
  std::vector<Variation> variations{*r, *ranks};
  for (Variation& v : defaultVariations(c, variations)) variations.push_back(std::move(v));
  const auto start = std::clock();
  const auto found = search(*predictor_, c, variations);
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(found->size(), 4u * 4 * 3 * 4);
  EXPECT_TRUE(found->front().prediction.fits);
  EXPECT_LT(seconds, 1.0) << "of processor time";
}

}  // namespace
}  // namespace tidemark::fit
