// Embedding and loss head on forked ranks against a log-softmax in double precision over the whole table.
#include "core/model/vocabulary.h"

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>
#include <gtest/gtest.h>

#include "tests/comm/forked_ranks.h"

namespace tidemark::model {
namespace {

// Two tables, "embedding" and "head", the same on every rank.
class TableSource : public weights::ModelSource {
 public:
  TableSource(int64_t rows, int64_t columns, double scale) {
    at::Generator generator = at::make_generator<at::CPUGeneratorImpl>(uint64_t{3});
    embedding = at::empty({rows, columns}).normal_(0, 1, generator);
    head = at::empty({rows, columns}).normal_(0, scale, generator);
  }
  const weights::ModelConfig& config() const override { return config_; }
  const std::vector<weights::TensorInfo>& tensors() const override { return tensors_; }
  std::string format() const override { return "tables"; }
  void dropPages() const override {}
  Status readRows(std::string_view name, int64_t begin, int64_t end, float* out) const override {
    const at::Tensor rows = (name == "head" ? head : embedding).narrow(0, begin, end - begin);
    std::copy_n(rows.const_data_ptr<float>(), rows.numel(), out);
    return {};
  }
  at::Tensor embedding, head;  // [V, H]

 private:
  weights::ModelConfig config_;
  std::vector<weights::TensorInfo> tensors_;
};

struct Task {
  std::vector<at::Tensor> hidden, targets;  // of every rank: [m, H], [m]
  Batch batchOf(int rank) const {
    Batch batch;
    batch.targets = targets[static_cast<size_t>(rank)];
    for (const at::Tensor& t : targets) batch.targetCountOfRank.push_back(t.size(0));
    return batch;
  }
};

Task randomTask(const std::vector<int64_t>& counts, const TableSource& source, double hiddenScale) {
  at::Generator generator = at::make_generator<at::CPUGeneratorImpl>(uint64_t{4});
  Task task;
  for (const int64_t count : counts) {
    task.hidden.push_back(at::empty({count, source.head.size(1)}).normal_(0, hiddenScale, generator));
    at::Tensor targets = at::empty({count}, at::kLong);
    if (count > 0) targets.random_(0, source.head.size(0), generator);
    if (count > 1) targets[0] = 0, targets[1] = source.head.size(0) - 1;  // both ends of the table
    task.targets.push_back(targets);
  }
  return task;
}

void expectLoss(const Vocabulary& vocabulary, const TableSource& source, const Task& task, int rank) {
  const at::Tensor& hidden = task.hidden[static_cast<size_t>(rank)];
  const at::Tensor& targets = task.targets[static_cast<size_t>(rank)];
  constexpr double kScale = 0.125;
  const at::Tensor head = source.head.to(at::kDouble);
  const at::Tensor logProbabilities = at::log_softmax(hidden.to(at::kDouble).mm(head.t()), 1);
  const at::Tensor expected = logProbabilities.gather(1, targets.unsqueeze(1)).squeeze(1).neg();
  at::Tensor residual = logProbabilities.exp();
  residual.scatter_add_(1, targets.unsqueeze(1), at::full({targets.size(0), 1}, -1.0, at::kDouble));
  const at::Tensor gradient = residual.mm(head).mul(kScale);

  const auto loss = vocabulary.loss(hidden, task.batchOf(rank), kScale, Vocabulary::Want::Gradient);
  ASSERT_EQ(loss.perTarget.sizes(), expected.sizes());
  ASSERT_EQ(loss.perTarget.scalar_type(), at::kDouble);
  ASSERT_EQ(loss.gradient.sizes(), hidden.sizes());
  const double total = expected.sum().item<double>();
  EXPECT_NEAR(loss.sum, total, 2e-6 * std::max(1.0, std::abs(total)));
  if (hidden.size(0) > 0) {
    // float32 logits are off by about their magnitude times 2^-24.
    const double logits = hidden.to(at::kDouble).mm(head.t()).abs().max().item<double>();
    EXPECT_LT(loss.perTarget.sub(expected).abs().max().item<double>(), 5e-7 * (10 + logits));
    EXPECT_LT(loss.gradient.to(at::kDouble).sub(gradient).abs().max().item<double>(), 5e-7 * (10 + logits) * (1e-3 + gradient.abs().max().item<double>()));
  } else {
    EXPECT_EQ(loss.sum, 0.0);
  }
  const auto lossOnly = vocabulary.loss(hidden, task.batchOf(rank), kScale, Vocabulary::Want::LossOnly);
  EXPECT_TRUE(lossOnly.perTarget.equal(loss.perTarget));
  EXPECT_FALSE(lossOnly.gradient.defined());
}

struct Shape {
  int64_t vocabularySize = 37, hiddenSize = 6;
  double headScale = 1, hiddenScale = 1;
};

// One entry per task: the targets of each rank.
void checkLosses(const std::vector<std::vector<int64_t>>& counts, const Shape& shape = {}) {
  test::forkRanks(static_cast<int>(counts[0].size()), [&](comm::Communicator& communicator) {
    const TableSource source(shape.vocabularySize, shape.hiddenSize, shape.headScale);
    Vocabulary vocabulary(shape.vocabularySize, shape.hiddenSize, communicator, memory::Sharding::Sharded, c10::Device(c10::kCPU));
    ASSERT_TRUE(vocabulary.load(source, "embedding", "head").ok());
    for (const std::vector<int64_t>& ofRanks : counts)
      expectLoss(vocabulary, source, randomTask(ofRanks, source, shape.hiddenScale), communicator.rank());
  });
}

TEST(VocabularyLoss, OneRank) { checkLosses({{9}, {1}, {0}}); }
TEST(VocabularyLoss, TwoRanksUneven) { checkLosses({{5, 8}, {8, 1}}); }
TEST(VocabularyLoss, ThreeRanksUneven) { checkLosses({{5, 1, 8}, {1, 1, 1}}); }
TEST(VocabularyLoss, ARankWithoutTargets) {
  checkLosses({{0, 6}, {6, 0}});
  checkLosses({{4, 0, 0}, {0, 4, 0}, {3, 0, 2}});
}
TEST(VocabularyLoss, NoRankHasTargets) { checkLosses({{0, 0}}); }
// Logits of some hundreds: exp of them would overflow, and targets of all but certain and of vanishing probability occur.
TEST(VocabularyLoss, LargeLogits) {
  checkLosses({{40}}, {37, 6, 10, 10});
  checkLosses({{30, 11, 3}}, {37, 6, 10, 10});
}

// One rank of 140,000 rows takes 16 targets at a time, two of 70,000 take 29.
constexpr Shape kLarge{140'003, 32, 1, 0.2};
TEST(VocabularyLoss, ChunkBoundariesOnOneRank) { checkLosses({{1}, {15}, {16}, {17}, {32}, {33}}, kLarge); }
TEST(VocabularyLoss, ChunkBoundariesOnTwoRanks) { checkLosses({{27, 1}, {28, 1}, {29, 1}, {57, 2}}, kLarge); }
TEST(VocabularyLoss, ChunksThatDifferBetweenRanks) { checkLosses({{20, 25, 31}}, kLarge); }

// One table for both uses.
TEST(VocabularyLoss, TiedTables) {
  test::forkRanks(2, [](comm::Communicator& communicator) {
    TableSource source(37, 6, 1);
    Vocabulary vocabulary(37, 6, communicator, memory::Sharding::Sharded, c10::Device(c10::kCPU));
    ASSERT_TRUE(vocabulary.load(source, "embedding", "embedding").ok());
    EXPECT_EQ(vocabulary.staticBytes(), (communicator.rank() == 0 ? 18 : 19) * 6 * 4);
    source.head = source.embedding;
    expectLoss(vocabulary, source, randomTask({7, 3}, source, 1), communicator.rank());
  });
}

// Policy unsharded: no rank needs another.
TEST(VocabularyLoss, WholeTables) {
  test::forkRanks(2, [](comm::Communicator& communicator) {
    const TableSource source(37, 6, 1);
    Vocabulary vocabulary(37, 6, communicator, memory::Sharding::Whole, c10::Device(c10::kCPU));
    ASSERT_TRUE(vocabulary.load(source, "embedding", "head").ok());
    if (communicator.rank() == 1) expectLoss(vocabulary, source, randomTask({7, 3}, source, 1), 1);
    Batch batch;
    batch.ids = at::tensor({36, 0, 5}, at::kLong);
    batch.idsOfRank = {{1}, {36, 0, 5}};
    EXPECT_TRUE(vocabulary.embed(batch).equal(source.embedding.index_select(0, batch.ids)));
  });
}

void checkEmbedding(const std::vector<std::vector<int64_t>>& ids) {
  test::forkRanks(static_cast<int>(ids.size()), [&](comm::Communicator& communicator) {
    const TableSource source(37, 6, 1);
    Vocabulary vocabulary(37, 6, communicator, memory::Sharding::Sharded, c10::Device(c10::kCPU));
    ASSERT_TRUE(vocabulary.load(source, "embedding", "head").ok());
    Batch batch;
    batch.idsOfRank = ids;
    batch.ids = at::tensor(ids[static_cast<size_t>(communicator.rank())], at::kLong);
    EXPECT_TRUE(vocabulary.embed(batch).equal(source.embedding.index_select(0, batch.ids)));
  });
}

TEST(VocabularyEmbedding, EqualsTheTable) {
  std::vector<int64_t> every, backwards;
  for (int64_t id = 0; id < 37; ++id) every.push_back(id), backwards.push_back(36 - id);
  checkEmbedding({every});
  checkEmbedding({every, backwards});
  checkEmbedding({backwards, {7, 7, 7}, every});
  checkEmbedding({{0, 1, 2}, {0, 1}});        // rank 1's rows are not needed at all
  checkEmbedding({{36, 12, 11}, {0}, {24, 25}});
}

}  // namespace
}  // namespace tidemark::model
