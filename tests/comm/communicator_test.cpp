#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "tests/comm/forked_ranks.h"

namespace tidemark::comm {
namespace {

class EveryWorld : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Ranks, EveryWorld, testing::Values(1, 2, 3, 4));

// Small whole numbers: sums are exact in any order.
int64_t valueOf(int rank, int64_t index) { return (rank + 2) * 7 % 11 - 5 + index * (rank + 1) % 13; }

template <typename T>
at::Tensor valuesOf(int rank, int64_t count, at::ScalarType type) {
  at::Tensor t = at::empty({count}, type);
  for (int64_t i = 0; i < count; ++i) t.mutable_data_ptr<T>()[i] = static_cast<T>(valueOf(rank, i));
  return t;
}

template <typename T>
void expectReductions(Communicator& c, int64_t count, at::ScalarType type) {
  at::Tensor sum = valuesOf<T>(c.rank(), count, type), largest = sum.clone();
  c.sum(sum);
  c.max(largest);
  for (int64_t i = 0; i < count; ++i) {
    int64_t total = 0, most = valueOf(0, i);
    for (int rank = 0; rank < c.size(); ++rank) {
      total += valueOf(rank, i);
      most = std::max(most, valueOf(rank, i));
    }
    ASSERT_EQ(sum[i].item<T>(), static_cast<T>(total)) << i << " of " << count;
    ASSERT_EQ(largest[i].item<T>(), static_cast<T>(most)) << i << " of " << count;
  }
}

TEST_P(EveryWorld, SumAndMax) {
  test::forkRanks(GetParam(), [](Communicator& c) {
    ASSERT_EQ(c.size(), GetParam());
    for (const int64_t count : {0, 1, 2, 3, 7, 1000}) {
      expectReductions<float>(c, count, at::kFloat);
      expectReductions<double>(c, count, at::kDouble);
      expectReductions<int64_t>(c, count, at::kLong);
    }
  });
}

TEST_P(EveryWorld, BroadcastOnBothChannels) {
  test::forkRanks(GetParam(), [](Communicator& c) {
    std::vector<at::Tensor> weights;
    std::vector<std::unique_ptr<Pending>> pending;
    for (int root = 0; root < c.size(); ++root) {
      const int64_t count = 5 + 100'000 * root;
      weights.push_back(c.rank() == root ? valuesOf<float>(root, count, at::kFloat) : at::full({count}, -99.0));
      pending.push_back(c.broadcastWeights(weights.back(), root));
    }
    // The control channel does not wait for the gathers.
    for (int root = 0; root < c.size(); ++root) {
      at::Tensor t = c.rank() == root ? valuesOf<float>(root, 33, at::kFloat) : at::full({33}, -99.0);
      c.broadcast(t, root);
      EXPECT_TRUE(t.equal(valuesOf<float>(root, 33, at::kFloat))) << "control, root " << root;
    }
    for (int root = 0; root < c.size(); ++root) {
      pending[static_cast<size_t>(root)]->wait();
      pending[static_cast<size_t>(root)]->wait();
      EXPECT_TRUE(pending[static_cast<size_t>(root)]->isDone());
      EXPECT_TRUE(weights[static_cast<size_t>(root)].equal(valuesOf<float>(root, weights[static_cast<size_t>(root)].numel(), at::kFloat)));
    }
  });
}

// Row i from rank s to rank t is (s, t, i): whatever arrives elsewhere or out of order is seen.
void expectExchange(Communicator& c, const std::vector<std::vector<int64_t>>& counts) {
  const auto me = static_cast<size_t>(c.rank());
  std::vector<float> rows, expected;
  std::vector<int64_t> incoming;
  for (size_t to = 0; to < counts.size(); ++to)
    for (int64_t i = 0; i < counts[me][to]; ++i) rows.insert(rows.end(), {static_cast<float>(me), static_cast<float>(to), static_cast<float>(i)});
  for (size_t from = 0; from < counts.size(); ++from) {
    incoming.push_back(counts[from][me]);
    for (int64_t i = 0; i < counts[from][me]; ++i) expected.insert(expected.end(), {static_cast<float>(from), static_cast<float>(me), static_cast<float>(i)});
  }
  const auto table = [](const std::vector<float>& values) { return at::tensor(values, at::kFloat).view({-1, 3}); };
  const auto shaped = [&](const std::vector<float>& values) { return values.empty() ? at::empty({0, 3}) : table(values); };
  const int64_t before = c.receivedBytes();
  const at::Tensor received = c.exchangeRows(shaped(rows), counts[me], incoming);
  EXPECT_TRUE(received.equal(shaped(expected))) << received;
  int64_t fromOthers = 0;
  for (size_t from = 0; from < counts.size(); ++from)
    if (from != me) fromOthers += counts[from][me] * 3 * static_cast<int64_t>(sizeof(float));
  EXPECT_EQ(c.receivedBytes() - before, fromOthers);
}

TEST_P(EveryWorld, ExchangeRowsWithUnevenAndNoRows) {
  test::forkRanks(GetParam(), [](Communicator& c) {
    std::mt19937 random(5);  // the same on every rank
    const auto n = static_cast<size_t>(c.size());
    expectExchange(c, std::vector<std::vector<int64_t>>(n, std::vector<int64_t>(n, 0)));
    for (int round = 0; round < 40; ++round) {
      std::vector<std::vector<int64_t>> counts(n, std::vector<int64_t>(n));
      for (auto& row : counts)
        for (int64_t& count : row) count = random() % 3 == 0 ? 0 : static_cast<int64_t>(random() % 9);
      if (round % 4 == 1) std::fill(counts[0].begin(), counts[0].end(), 0);        // rank 0 sends nothing
      if (round % 4 == 2) for (auto& row : counts) row[n - 1] = 0;                 // the last receives nothing
      expectExchange(c, counts);
    }
  });
}

TEST_P(EveryWorld, ExchangeTakesRowsThatAreNotContiguous) {
  test::forkRanks(GetParam(), [](Communicator& c) {
    const std::vector<int64_t> counts(static_cast<size_t>(c.size()), 2);
    const at::Tensor rows = at::arange(6 * c.size(), at::kFloat).view({3, 2 * c.size()}).t();  // [2N, 3]
    const at::Tensor received = c.exchangeRows(rows, counts, counts);
    for (int from = 0; from < c.size(); ++from)
      EXPECT_TRUE(received.narrow(0, 2 * from, 2).equal(rows.narrow(0, 2 * c.rank(), 2)));
  });
}

}  // namespace
}  // namespace tidemark::comm
