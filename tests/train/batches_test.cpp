// Which rows run when and where: counted from the tensors of every rank.
#include "core/train/batches.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <random>
#include <set>

#include "core/text/prepared_file.h"
#include "tests/base/temporary_folder.h"

namespace tidemark::train {
namespace {

// Token ids name their row (id / 64) and place (id % 64), so that rows can be read off a batch.
constexpr int64_t kMaxLength = 24;

class BatchesTest : public testing::Test {
 protected:
  static std::vector<text::LabelledRow> rows(std::mt19937& random, int64_t count, int64_t first) {
    std::vector<text::LabelledRow> result;
    for (int64_t i = 0; i < count; ++i) {
      text::LabelledRow row;
      const auto length = static_cast<int64_t>(2 + random() % (kMaxLength - 1));
      for (int64_t t = 0; t < length; ++t) {
        row.ids.push_back(static_cast<text::TokenId>((first + i) * 64 + t));
        row.hasLoss.push_back(t > 0 && random() % 3 == 0);
      }
      row.hasLoss.back() = 1;
      result.push_back(std::move(row));
    }
    return result;
  }

  void SetUp() override {
    std::mt19937 random(31);
    train_ = rows(random, kTrain, 0);
    eval_ = rows(random, kEval, kTrain);
    const auto written = text::writePreparedFile(folder_ / "data.bin", train_, eval_, 64 * (kTrain + kEval));
    ASSERT_TRUE(written.ok()) << written.error().message();
    auto opened = text::PreparedDataset::open(folder_ / "data.bin");
    ASSERT_TRUE(opened.ok()) << opened.error().message();
    dataset_ = std::make_unique<text::PreparedDataset>(std::move(opened).value());
  }

  Batches batches(bool packing, int rank, int worldSize) const {
    return {*dataset_, {kPerStep, kMaxLength, packing, 9}, rank, worldSize, c10::Device(c10::kCPU)};
  }

  const text::LabelledRow& row(int64_t index) const {
    return index < kTrain ? train_[static_cast<size_t>(index)] : eval_[static_cast<size_t>(index - kTrain)];
  }

  // The rows of a batch; checks that each is there whole, with its positions and targets.
  std::vector<int64_t> rowsIn(const model::Batch& batch) const {
    std::vector<int64_t> found, targets, targetRows;
    int64_t at = 0;
    for (const int64_t length : batch.segmentLengths) {
      const int64_t index = batch.ids[at].item<int64_t>() / 64;
      const text::LabelledRow& expected = row(index);
      EXPECT_EQ(length, static_cast<int64_t>(expected.ids.size()) - 1);
      for (int64_t t = 0; t < length; ++t) {
        EXPECT_EQ(batch.ids[at + t].item<int64_t>(), expected.ids[static_cast<size_t>(t)]);
        EXPECT_EQ(batch.positions[at + t].item<int64_t>(), t);
        if (!expected.hasLoss[static_cast<size_t>(t) + 1]) continue;
        targetRows.push_back(at + t);
        targets.push_back(expected.ids[static_cast<size_t>(t) + 1]);
      }
      found.push_back(index);
      at += length;
    }
    EXPECT_EQ(at, batch.tokenCount());
    EXPECT_TRUE(batch.targets.equal(at::tensor(targets, at::kLong)));
    EXPECT_TRUE(batch.targetRows.equal(at::tensor(targetRows, at::kLong)));
    return found;
  }

  static constexpr int64_t kTrain = 101, kEval = 23, kPerStep = 12;
  test::TemporaryFolder folder_;
  std::vector<text::LabelledRow> train_, eval_;
  std::unique_ptr<text::PreparedDataset> dataset_;
};

TEST_F(BatchesTest, RowsOfAStepDoNotDependOnRanksOrMicroBatch) {
  for (const bool packing : {false, true}) {
    std::map<int64_t, std::vector<int64_t>> expected;  // step -> rows
    for (const int worldSize : {1, 2, 3, 4}) {
      for (int64_t microBatch = 1; microBatch <= kPerStep / worldSize; ++microBatch) {
        if (kPerStep % (worldSize * microBatch) != 0) continue;
        std::vector<Batches> ofRank;
        for (int rank = 0; rank < worldSize; ++rank) ofRank.push_back(batches(packing, rank, worldSize));
        for (const int64_t step : {0, 1, 7, 20, 3}) {
          std::vector<int64_t> rows;
          int64_t tokens = 0, targets = 0;
          for (int64_t iteration = 0; iteration < kPerStep / (worldSize * microBatch); ++iteration)
            for (int rank = 0; rank < worldSize; ++rank) {
              const model::Batch batch = ofRank[static_cast<size_t>(rank)].training(step, iteration, microBatch);
              const auto found = rowsIn(batch);
              rows.insert(rows.end(), found.begin(), found.end());
              tokens += batch.tokenCount() + static_cast<int64_t>(batch.segmentLengths.size());
              targets += batch.targets.size(0);
            }
          std::sort(rows.begin(), rows.end());  // dealt out otherwise, but the same
          const auto [first, isNew] = expected.try_emplace(step, rows);
          EXPECT_EQ(rows, first->second) << "step " << step << ", " << worldSize << " ranks, micro-batch " << microBatch;
          EXPECT_EQ(tokens, ofRank[0].stepTokens(step));
          EXPECT_EQ(targets, ofRank[0].stepTargets(step));
        }
      }
    }
  }
}

TEST_F(BatchesTest, EveryRankKnowsWhatTheOthersRun) {
  std::vector<Batches> ofRank;
  for (int rank = 0; rank < 3; ++rank) ofRank.push_back(batches(true, rank, 3));
  for (int64_t step = 0; step < 5; ++step) {
    std::vector<model::Batch> now;
    for (Batches& b : ofRank) now.push_back(b.training(step, 1, 2));
    for (const model::Batch& batch : now)
      for (size_t other = 0; other < now.size(); ++other) {
        EXPECT_TRUE(now[other].ids.equal(at::tensor(batch.idsOfRank[other], at::kLong)));
        EXPECT_EQ(batch.targetCountOfRank[other], now[other].targets.size(0));
      }
  }
}

TEST_F(BatchesTest, EveryRowOncePerEpoch) {
  for (const bool packing : {false, true}) {
    Batches b = batches(packing, 0, 1);
    std::map<int64_t, int> times;
    std::vector<std::vector<int64_t>> orders(1);
    for (int64_t step = 0; orders.size() <= 4; ++step)
      for (const text::Sequence& sequence : b.step(step))
        for (const int64_t row : sequence) {
          ++times[row];
          orders.back().push_back(row);
          if (orders.back().size() < kTrain) continue;
          ASSERT_EQ(times.size(), static_cast<size_t>(kTrain)) << "after epoch " << orders.size();
          for (const auto& [index, count] : times) ASSERT_EQ(count, static_cast<int>(orders.size())) << "row " << index;
          orders.emplace_back();
        }
    EXPECT_NE(orders[0], orders[1]) << "epochs are shuffled anew";
  }
}

// Without the number of steps a bound for every epoch; with it the very largest, and where it runs.
TEST_F(BatchesTest, LargestBatchesHoldForEveryStep) {
  constexpr int64_t kSteps = 60;
  for (const bool packing : {false, true})
    for (const int64_t microBatch : {1, 2, 3, 6}) {
      Batches bounded = batches(packing, 0, 2);
      Batches exact(*dataset_, {kPerStep, kMaxLength, packing, 9, kSteps}, 0, 2, c10::Device(c10::kCPU));
      const Batches::Largest found = exact.largestBatch(microBatch), bound = bounded.largestBatch(microBatch);
      int64_t mostTokens = 0, mostTargets = 0;
      for (int64_t step = 0; step < kSteps; ++step)
        for (int64_t iteration = 0; iteration < kPerStep / (2 * microBatch); ++iteration) {
          const model::Batch batch = exact.training(step, iteration, microBatch);
          int64_t tokens = 0;
          for (const auto& ids : batch.idsOfRank) tokens = std::max(tokens, static_cast<int64_t>(ids.size()));
          EXPECT_EQ(tokens, exact.trainingTokens(step, iteration, microBatch));
          if (step == found.step && iteration == found.iteration) EXPECT_EQ(tokens, found.tokens);
          mostTokens = std::max(mostTokens, tokens);
          for (const int64_t targets : batch.targetCountOfRank) mostTargets = std::max(mostTargets, targets);
        }
      EXPECT_EQ(found.tokens, mostTokens);
      EXPECT_EQ(found.targets, mostTargets);
      EXPECT_LE(found.tokens, bound.tokens);
      EXPECT_LE(found.targets, bound.targets);
      EXPECT_LE(bound.tokens, microBatch * kMaxLength);
      EXPECT_EQ(bound.step, -1);
    }
}

// Micro-batches of rows of very different length are alike in what they weigh, and ranks run like ones together.
TEST_F(BatchesTest, MicroBatchesAreEven) {
  Batches b = batches(false, 0, 2);
  for (int64_t step = 0; step < 20; ++step) {
    int64_t heaviest = 0, lightest = INT64_MAX;
    for (int64_t iteration = 0; iteration < 2; ++iteration)
      for (const auto& ids : b.training(step, iteration, 3).idsOfRank) {
        heaviest = std::max(heaviest, static_cast<int64_t>(ids.size()));
        lightest = std::min(lightest, static_cast<int64_t>(ids.size()));
      }
    EXPECT_LE(heaviest - lightest, kMaxLength / 2) << "step " << step;
  }
}

TEST_F(BatchesTest, EvaluationCountsEveryRowOnce) {
  for (int worldSize = 1; worldSize <= 7; ++worldSize) {
    std::multiset<int64_t> counted;
    std::set<int64_t> iterations;
    for (int rank = 0; rank < worldSize; ++rank) {
      const Batches b = batches(true, rank, worldSize);
      iterations.insert(b.evaluationIterations());
      for (int64_t i = 0; i < b.evaluationIterations(); ++i) {
        bool counts = false;
        const auto rows = rowsIn(b.evaluation(i, &counts));
        EXPECT_FALSE(rows.empty());
        if (counts) counted.insert(rows.begin(), rows.end());
      }
    }
    EXPECT_EQ(iterations.size(), 1u) << "ranks disagree";
    std::multiset<int64_t> all;
    for (int64_t i = 0; i < kEval; ++i) all.insert(kTrain + i);
    EXPECT_EQ(counted, all) << worldSize << " ranks";
  }
}

TEST_F(BatchesTest, WithoutEvaluationRowsThereIsNothingToRun) {
  ASSERT_TRUE(text::writePreparedFile(folder_ / "none.bin", train_, {}, 64 * kTrain).ok());
  auto opened = text::PreparedDataset::open(folder_ / "none.bin");
  ASSERT_TRUE(opened.ok());
  const Batches b(*opened, {kPerStep, kMaxLength, true, 9}, 0, 2, c10::Device(c10::kCPU));
  EXPECT_EQ(b.evaluationIterations(), 0);
}

}  // namespace
}  // namespace tidemark::train
