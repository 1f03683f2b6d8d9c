// The engine's one property: every policy, rank count, batch split and resume gives the numbers of the plain single rank;
// and the cache does what its plan says, within the budget.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "core/text/prepared_file.h"
#include "core/weights/safetensors.h"
#include "golden_rows.h"
#include "rank_run.h"

namespace tidemark::train {
namespace {
namespace fs = std::filesystem;

class Ranks : public testing::Test {
 protected:
  void SetUp() override {
    const auto* info = testing::UnitTest::GetInstance()->current_test_info();
    root_ = fs::temp_directory_path() / ("tidemark-ranks-" + std::string(info->name()) + "-" + std::to_string(::getpid()));
    fs::create_directories(root_);
    for (const GoldenRow& row : goldenRows(readGolden("tiny/golden.json")["rows"])) {
      text::LabelledRow labelled;
      labelled.ids = row.ids;
      labelled.hasLoss = row.hasLoss;
      rows_.push_back(std::move(labelled));
    }
  }
  void TearDown() override { fs::remove_all(root_); }

  static run::RunConfig config(int64_t ranks, const std::string& policy) {
    run::RunConfig c;
    c.model = std::string(TIDEMARK_GOLDEN) + "/weights/tiny-llama";
    c.dataset.train = "rows";
    c.dataset.packing = false;
    c.dataset.maxSeqLength = 64;
    c.peft.r = 4;
    c.peft.loraAlpha = 8;
    c.training.globalBatchSize = 4;
    c.training.microBatchSize = 1;
    c.training.maxSteps = 50;
    c.training.learningRate = 1e-2;
    c.memory.policy = policy;
    c.memory.budgetBytes = 64 << 20;
    c.parallel.device = "cpu";
    c.parallel.ranks = ranks;
    c.output.checkpointEvery = 0;
    return c;
  }

  std::string directory(const std::string& name) {
    const fs::path path = root_ / name;
    fs::create_directories(path);
    EXPECT_TRUE(text::writePreparedFile(path / "data.bin", rows_, {}, 320).ok());
    return path.string();
  }

  RankRun run(const std::string& name, const run::RunConfig& c, const RankRunOptions& options = {}) {
    const RankRun result = runRanks(directory(name), c, options);
    for (const int code : result.exitCodes) EXPECT_EQ(code, options.stopAfterStep ? 130 : 0) << name << ": " << result.failure();
    return result;
  }

  // Losses as close as float32 sums in another order allow: 1e-5 on the first step, 1e-3 over all.
  static void expectSameLosses(const RankRun& a, const RankRun& b, const std::string& what) {
    const auto left = a.steps(), right = b.steps();
    ASSERT_EQ(left.size(), right.size()) << what;
    EXPECT_NEAR(left[0].loss, right[0].loss, 1e-5) << what;
    for (size_t i = 0; i < left.size(); ++i) {
      EXPECT_NEAR(left[i].loss, right[i].loss, 1e-3) << what << ", step " << left[i].step;
      EXPECT_EQ(left[i].targetTokens, right[i].targetTokens) << what;
    }
  }

  fs::path root_;
  std::vector<text::LabelledRow> rows_;
};

TEST_F(Ranks, EveryPolicyAndRankCountGivesTheSameLosses) {
  const RankRun reference = run("reference", config(1, "unsharded"));
  ASSERT_LT(reference.steps().back().loss, reference.steps().front().loss);
  for (const int64_t ranks : {1, 2, 4})
    for (const char* policy : {"elastic", "pinned", "gather-always", "unsharded"}) {
      const std::string name = std::string(policy) + "-" + std::to_string(ranks);
      const RankRun result = run(name, config(ranks, policy));
      expectSameLosses(reference, result, name);
      const auto steps = result.steps();
      for (size_t i = 1; i < steps.size(); ++i) {
        const bool gathersAgain = std::string(policy) == "gather-always" && ranks > 1;
        EXPECT_EQ(steps[i].remoteBytes > 0, gathersAgain) << name << ": everything fits, nothing is gathered again";
      }
    }
}

// Sliding windows shorter than the rows, four norms a layer, a tied table: in every split of the same model.
TEST_F(Ranks, GemmaGivesTheSameLossesUnderEveryPolicyAndForm) {
  const auto gemma = [](int64_t ranks, const char* policy, const char* form, const char* activations) {
    run::RunConfig c = config(ranks, policy);
    c.model = std::string(TIDEMARK_GOLDEN) + "/weights/" + (form == std::string("float32") ? "tiny-gemma" : "tiny-gemma.gguf");
    c.training.maxSteps = 10;
    c.training.microBatchSize = 4 / ranks;
    c.memory.weights = form;
    c.memory.activations = activations;
    return c;
  };
  for (const char* form : {"float32", "stored", "nf4"}) {
    const std::string name = std::string("gemma-") + form;
    const RankRun reference = run(name + "-1", gemma(1, "unsharded", form, "save"));
    ASSERT_LT(reference.steps().back().loss, reference.steps().front().loss) << form;
    const RankRun gathering = run(name + "-gather-always", gemma(2, "gather-always", form, "save"));
    expectSameLosses(reference, gathering, name + " gather-always");
    expectSameLosses(reference, run(name + "-recompute", gemma(2, "pinned", form, "recompute")), name + " pinned, recomputing");
    run::RunConfig tight = gemma(2, "elastic", form, "save");
    tight.memory.budgetBytes = gathering.plans().back().predictedPeakBytes + (64 << 10);
    const RankRun elastic = run(name + "-tight", tight);
    expectSameLosses(reference, elastic, name + " tight");
    EXPECT_LT(elastic.steps().back().remoteBytes, gathering.steps().back().remoteBytes);
  }
}

// What is computed again is the same to the last bit, dropout included, and is not held meanwhile.
TEST_F(Ranks, RecomputedActivationsChangeNoNumber) {
  for (const double dropout : {0.0, 0.1}) {
    run::RunConfig c = config(2, "elastic");
    c.training.maxSteps = 20;
    c.training.microBatchSize = 2;
    c.peft.loraDropout = dropout;
    c.memory.activations = "save";
    const std::string name = dropout > 0 ? "-dropout" : "";
    const RankRun saved = run("save" + name, c);
    c.memory.activations = "recompute";
    const RankRun again = run("recompute" + name, c);
    ASSERT_EQ(saved.steps().size(), again.steps().size());
    for (size_t i = 0; i < saved.steps().size(); ++i) {
      EXPECT_EQ(saved.steps()[i].loss, again.steps()[i].loss) << "step " << i + 1;
      EXPECT_LT(2 * again.steps()[i].activationPeakBytes, saved.steps()[i].activationPeakBytes);
    }
    EXPECT_LE(again.steps().back().peakBytes, again.plans().back().predictedPeakBytes * 103 / 100);
  }
}

// Left to itself, the engine saves everything where there is room, and computes again what does not fit.
TEST_F(Ranks, AutomaticActivationsFitWhereSavedOnesDoNot) {
  run::RunConfig c = config(2, "gather-always");
  c.training.maxSteps = 10;
  c.training.microBatchSize = 2;
  const auto peakOf = [](const RankRun& r) {
    int64_t peak = 0;
    for (size_t rank = 0; rank < 2; ++rank)
      for (const auto& step : r.steps(rank)) peak = std::max(peak, step.peakBytes);
    return peak;
  };
  c.memory.activations = "recompute";
  const int64_t least = peakOf(run("recompute", c));
  c.memory.activations = "save";
  const RankRun saved = run("save", c);
  ASSERT_LT(least, peakOf(saved));
  c.memory.activations = "auto";
  const RankRun roomy = run("roomy", c);
  EXPECT_EQ(roomy.plans().back().reason.find("again"), std::string::npos);
  EXPECT_EQ(roomy.steps().back().activationPeakBytes, saved.steps().back().activationPeakBytes);
  c.memory.policy = "elastic";
  c.memory.budgetBytes = (least + peakOf(saved)) / 2;
  const RankRun tight = run("tight", c);
  expectSameLosses(saved, tight, "tight");
  ASSERT_FALSE(tight.plans().empty());
  EXPECT_NE(tight.plans().back().reason.find("operators compute their activation again"), std::string::npos);
  EXPECT_LE(peakOf(tight), c.memory.budgetBytes);
  const run::PlanEvent plan = tight.plans().back();
  EXPECT_EQ(tight.steps().back().remoteBytes, plan.predictedRemoteBytes * tight.steps().back().iterations);
  c.memory.activations = "save";
  const RankRun refused = runRanks(directory("refused"), c);
  EXPECT_TRUE(std::count(refused.exitCodes.begin(), refused.exitCodes.end(), 4) > 0);
}

// All micro-batches of a step pass an operator before the next: the same sums in the same order, a fraction of the gathers.
TEST_F(Ranks, BreadthFirstAccumulationChangesNoNumber) {
  for (const char* activations : {"save", "recompute"})
    for (const double dropout : {0.0, 0.1}) {
      run::RunConfig c = config(2, "gather-always");
      c.training.globalBatchSize = 8;
      c.training.maxSteps = 20;
      c.peft.loraDropout = dropout;
      c.memory.activations = activations;
      c.memory.accumulation = "depth-first";
      const std::string name = activations + std::string(dropout > 0 ? "-dropout" : "");
      const RankRun depth = run("depth-" + name, c);
      c.memory.accumulation = "breadth-first";
      const RankRun breadth = run("breadth-" + name, c);
      ASSERT_EQ(depth.steps().size(), breadth.steps().size());
      ASSERT_EQ(breadth.plans().back().breadth, 4) << name;
      for (size_t i = 0; i < depth.steps().size(); ++i) {
        const run::StepEvent one = depth.steps()[i], all = breadth.steps()[i];
        EXPECT_EQ(one.loss, all.loss) << name << ", step " << all.step;
        EXPECT_EQ(one.gradNorm, all.gradNorm) << name << ", step " << all.step;
        if (i < 2) continue;
        EXPECT_EQ(all.iterations, 1);
        EXPECT_EQ(one.iterations, 4);
        EXPECT_EQ(one.remoteBytes, 4 * all.remoteBytes) << name;
      }
    }
}

// The plan foretells the peak of many micro-batches from the measurement of one: within every budget that it says holds.
TEST_F(Ranks, BreadthFirstAccumulationStaysWithinEveryBudget) {
  run::RunConfig c = config(2, "elastic");
  c.training.globalBatchSize = 32;
  c.training.microBatchSize = 2;
  c.training.maxSteps = 12;
  c.memory.accumulation = "breadth-first";
  c.memory.budgetBytes = 64 << 20;
  const RankRun roomy = run("roomy", c);
  const int64_t most = roomy.plans().back().predictedPeakBytes;
  c.memory.policy = "gather-always";
  c.memory.accumulation = "depth-first";
  c.memory.activations = "recompute";
  const int64_t least = run("least", c).plans().back().predictedPeakBytes;
  ASSERT_LT(least, most);
  c.memory.policy = "elastic";
  c.memory.accumulation = "breadth-first";
  c.memory.activations = "auto";
  int64_t previousBreadth = 0;
  for (int64_t i = 0; i <= 6; ++i) {
    c.memory.budgetBytes = least + (160 << 10) + (most - least) * i / 6;
    const std::string name = "budget-" + std::to_string(i);
    const RankRun result = run(name, c);
    if (HasFatalFailure() || result.plans().empty()) return;
    for (size_t s = 0; s < result.steps().size(); ++s) EXPECT_NEAR(result.steps()[s].loss, roomy.steps()[s].loss, 1e-3) << name;
    const run::PlanEvent plan = result.plans().back();
    for (size_t rank = 0; rank < 2; ++rank)
      for (const run::StepEvent& step : result.steps(rank)) EXPECT_LE(step.peakBytes, c.memory.budgetBytes) << name << ", step " << step.step;
    EXPECT_GE(plan.breadth, previousBreadth) << name;
    previousBreadth = plan.breadth;
    EXPECT_EQ(result.steps().back().remoteBytes, plan.predictedRemoteBytes * result.steps().back().iterations) << name;
  }
  EXPECT_EQ(previousBreadth, 8);
}

// Evaluation takes as many sequences through an operator at once as fit: its weights are gathered once, not once for each.
TEST_F(Ranks, EvaluationGathersOnceWhereItsSequencesFit) {
  std::vector<text::LabelledRow> held;
  for (int copy = 0; copy < 8; ++copy) held.insert(held.end(), rows_.begin(), rows_.end());
  const auto evaluate = [&](const std::string& name, run::RunConfig c) {
    c.training.maxSteps = 2;
    const fs::path path = root_ / name;
    fs::create_directories(path);
    EXPECT_TRUE(text::writePreparedFile(path / "data.bin", rows_, held, 320).ok());
    const RankRun result = runRanks(path.string(), c);
    for (const int code : result.exitCodes) EXPECT_EQ(code, 0) << result.failure();
    return result.evaluations();
  };
  const auto whole = evaluate("whole", config(1, "unsharded"));
  const auto sharded = evaluate("sharded", config(2, "gather-always"));
  ASSERT_EQ(whole.size(), 2u);
  ASSERT_EQ(sharded.size(), 2u);
  run::RunConfig c = config(2, "gather-always");
  const int64_t once = run("steps", c).plans().back().predictedRemoteBytes / 2;
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_NEAR(whole[i].loss, sharded[i].loss, 1e-4);
    EXPECT_EQ(whole[i].targetTokens, sharded[i].targetTokens);
    EXPECT_LE(sharded[i].remoteBytes, 2 * once + 4096) << "one batch to measure, all others together";
  }
}

// The file's own form holds the same numbers as float32 made of it, in less memory and with less traffic.
TEST_F(Ranks, StoredWeightsGiveTheLossesOfFloat32) {
  run::RunConfig plain = config(2, "gather-always");
  plain.model = std::string(TIDEMARK_GOLDEN) + "/weights/tiny-llama-quantised.gguf";
  plain.training.maxSteps = 20;
  run::RunConfig encoded = plain;
  encoded.memory.weights = "stored";
  const RankRun reference = run("float32", plain), stored = run("stored", encoded);
  ASSERT_EQ(reference.steps().size(), stored.steps().size());
  for (size_t i = 0; i < reference.steps().size(); ++i) {
    EXPECT_NEAR(reference.steps()[i].loss, stored.steps()[i].loss, 1e-4) << "step " << i + 1;
    EXPECT_LT(3 * stored.steps()[i].remoteBytes, reference.steps()[i].remoteBytes);
    EXPECT_LT(3 * stored.steps()[i].staticBytes, 2 * reference.steps()[i].staticBytes);
  }
  EXPECT_EQ(reference.steps()[0].loss, stored.steps()[0].loss) << "to the last bit";
}

TEST_F(Ranks, EveryFormAndRankCountGivesTheSameLosses) {
  for (const char* form : {"stored", "int8", "nf4"}) {
    const auto formed = [&](int64_t ranks, const char* policy) {
      run::RunConfig c = config(ranks, policy);
      c.model = std::string(TIDEMARK_GOLDEN) + "/weights/tiny-llama-quantised.gguf";
      c.memory.weights = form;
      c.memory.activations = "save";
      c.training.microBatchSize = 4 / ranks;
      c.training.maxSteps = 20;
      return c;
    };
    const RankRun reference = run(std::string(form) + "-1", formed(1, "unsharded"));
    ASSERT_LT(reference.steps().back().loss, reference.steps().front().loss) << form;
    const RankRun gathering = run(std::string(form) + "-gathering", formed(2, "gather-always"));
    expectSameLosses(reference, gathering, form);
    expectSameLosses(reference, run(std::string(form) + "-elastic", formed(2, "elastic")), form);
    run::RunConfig tight = formed(2, "elastic");
    tight.memory.budgetBytes = gathering.plans().back().predictedPeakBytes + (64 << 10);
    expectSameLosses(reference, run(std::string(form) + "-tight", tight), form);
  }
}

TEST_F(Ranks, EveryBatchSplitGivesTheSameLosses) {
  const RankRun reference = run("reference", config(1, "elastic"));
  for (const int64_t microBatch : {1, 2, 4}) {
    run::RunConfig c = config(1, "elastic");
    c.training.microBatchSize = microBatch;
    expectSameLosses(reference, run("micro-" + std::to_string(microBatch), c), "micro-batch " + std::to_string(microBatch));
  }
  run::RunConfig automatic = config(2, "elastic");
  automatic.training.microBatchSize = 0;
  const RankRun result = run("auto", automatic);
  expectSameLosses(reference, result, "automatic micro-batch");
  EXPECT_EQ(result.plans().back().microBatch, 2);
}

// Ten budgets from the least that works with saved activations to all that is needed.
TEST_F(Ranks, TheCacheDoesWhatItsPlanSaysWithinEveryBudget) {
  const auto saving = [](const std::string& policy) {
    run::RunConfig c = config(2, policy);
    c.memory.activations = "save";
    c.memory.accumulation = "depth-first";
    return c;
  };
  const RankRun reference = run("all", saving("elastic"));
  const auto peakOf = [](const RankRun& r) {
    int64_t peak = 0;
    for (size_t rank = 0; rank < 2; ++rank)
      for (const auto& step : r.steps(rank)) peak = std::max(peak, step.peakBytes);
    return peak;
  };
  const int64_t most = reference.plans().back().predictedPeakBytes + (64 << 10);
  run::RunConfig least = saving("gather-always");
  const int64_t start = run("least", least).plans().back().predictedPeakBytes + (64 << 10);
  ASSERT_LT(start, most);
  int64_t previousRemote = INT64_MAX;
  for (int64_t i = 0; i <= 9; ++i) {
    run::RunConfig c = saving("elastic");
    c.memory.budgetBytes = start + (most - start) * i / 9;
    const std::string name = "budget-" + std::to_string(i);
    const RankRun result = run(name, c);
    if (HasFatalFailure() || result.plans().empty()) return;
    expectSameLosses(reference, result, name);
    EXPECT_LE(peakOf(result), c.memory.budgetBytes) << name;
    for (size_t rank = 0; rank < 2; ++rank) {
      const run::PlanEvent plan = result.plans(rank).back();
      const auto steps = result.steps(rank);
      for (size_t s = steps.size() / 2; s < steps.size(); ++s)
        EXPECT_EQ(steps[s].remoteBytes, plan.predictedRemoteBytes * steps[s].iterations) << name << ", step " << steps[s].step;
      EXPECT_LE(static_cast<double>(plan.predictedRemoteBytes), 1.05 * static_cast<double>(plan.optimalRemoteBytes) + 4096) << name;
      EXPECT_LE(peakOf(result), plan.predictedPeakBytes * 103 / 100) << name;
      if (i == 9) EXPECT_EQ(plan.predictedRemoteBytes, 0);
    }
    const int64_t remote = result.plans().back().predictedRemoteBytes;
    EXPECT_LE(remote, previousRemote) << name;
    previousRemote = remote;
  }
}

TEST_F(Ranks, ABudgetTooSmallIsRefusedWithWhatIsNeeded) {
  run::RunConfig c = config(2, "elastic");
  c.training.microBatchSize = 2;
  c.memory.activations = "save";
  c.memory.budgetBytes = 1 << 20;
  const RankRun result = runRanks(directory("small"), c);
  EXPECT_TRUE(std::count(result.exitCodes.begin(), result.exitCodes.end(), 4) > 0);
  EXPECT_NE(result.failure().find("budget"), std::string::npos) << result.failure();
}

TEST_F(Ranks, StoppedAndResumedEqualsUninterrupted) {
  const RankRun whole = run("whole", config(2, "elastic"));
  const std::string folder = directory("parts");
  const RankRun first = runRanks(folder, config(2, "elastic"), {false, 20});
  for (const int code : first.exitCodes) EXPECT_EQ(code, 130);
  const RankRun second = runRanks(folder, config(2, "elastic"), {true, 0});
  for (const int code : second.exitCodes) EXPECT_EQ(code, 0) << second.failure();
  auto losses = [](const RankRun& r) {
    std::vector<double> values;
    for (const auto& step : r.steps()) values.push_back(step.loss);
    return values;
  };
  std::vector<double> parts = losses(first);
  ASSERT_GE(parts.size(), 20u);
  ASSERT_LT(parts.size(), 50u);
  EXPECT_EQ(second.steps().front().step, static_cast<int64_t>(parts.size()) + 1);
  const std::vector<double> rest = losses(second);
  parts.insert(parts.end(), rest.begin(), rest.end());
  const std::vector<double> expected = losses(whole);
  ASSERT_EQ(parts.size(), expected.size());
  for (size_t i = 0; i < parts.size(); ++i) EXPECT_NEAR(parts[i], expected[i], 1e-6) << "step " << i + 1;
  const auto left = weights::readSafetensors(folder + "/adapter/adapter_model.safetensors");
  const auto right = weights::readSafetensors((root_ / "whole/adapter/adapter_model.safetensors").string());
  ASSERT_TRUE(left.ok() && right.ok());
  for (const auto& [name, tensor] : left->tensors)
    for (size_t k = 0; k < tensor.values.size(); ++k) ASSERT_NEAR(tensor.values[k], right->tensors.at(name).values[k], 1e-6) << name;
}

// Only layers from the lowest adapter on run backward; the caches of those below work all the same.
TEST_F(Ranks, AdaptersOnOneKindOfLayer) {
  run::RunConfig one = config(1, "elastic"), two = config(2, "elastic");
  one.training.microBatchSize = 4;
  two.training.microBatchSize = 2;
  one.peft.targetModules = two.peft.targetModules = {"down_proj"};
  const RankRun reference = run("one", one);
  two.memory.budgetBytes = reference.plans().back().predictedPeakBytes - (100 << 10);
  expectSameLosses(reference, run("two", two), "down_proj alone");
}

}  // namespace
}  // namespace tidemark::train
