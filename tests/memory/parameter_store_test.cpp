// The store on forked ranks: whatever is kept, what an acquire gives is the source's matrices, and traffic is as counted.
#include "core/memory/parameter_store.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <random>

#include "core/memory/ledger.h"
#include "tests/comm/forked_ranks.h"

namespace tidemark::memory {
namespace {

// Matrices whose elements say where they belong.
class NumberedSource : public weights::ModelSource {
 public:
  void add(const std::string& name, int64_t rows, int64_t columns) { tensors_.push_back({name, {rows, columns}, "F32", 0}); }
  static float value(size_t tensor, int64_t row, int64_t column) { return static_cast<float>(static_cast<int64_t>(tensor) * 1'000'003 % 4096 * 4096 + row * 61 % 4093 + column * 7 % 1021); }

  const weights::ModelConfig& config() const override { return config_; }
  const std::vector<weights::TensorInfo>& tensors() const override { return tensors_; }
  std::string format() const override { return "numbers"; }
  void dropPages() const override {}
  Status readRows(std::string_view name, int64_t begin, int64_t end, float* out) const override {
    for (size_t t = 0; t < tensors_.size(); ++t) {
      if (tensors_[t].name != name) continue;
      for (int64_t row = begin; row < end; ++row)
        for (int64_t column = 0; column < tensors_[t].shape[1]; ++column) *out++ = value(t, row, column);
      return {};
    }
    return Error{ErrorCode::NotFound, std::string(name), "is not there"};
  }

 private:
  weights::ModelConfig config_;
  std::vector<weights::TensorInfo> tensors_;
};

struct Setting {
  NumberedSource source;
  std::vector<PieceSpec> pieces;
  std::vector<std::vector<at::Tensor>> expected;  // [piece][group]

  void addPiece(const std::vector<std::pair<std::vector<int64_t>, int64_t>>& groups) {  // rows of each tensor; columns
    PieceSpec piece{"piece " + std::to_string(pieces.size()), {}};
    expected.emplace_back();
    for (const auto& [rowsOfTensors, columns] : groups) {
      WeightGroup group{{}, columns};
      std::vector<at::Tensor> parts;
      for (const int64_t rows : rowsOfTensors) {
        const std::string name = "tensor " + std::to_string(source.tensors().size());
        source.add(name, rows, columns);
        group.matrices.push_back({name, rows, weights::RowFormat::float32(columns)});
        parts.push_back(at::empty({rows, columns}));
        if (!source.readRows(name, 0, rows, parts.back().mutable_data_ptr<float>()).ok()) throw std::runtime_error(name);
      }
      expected.back().push_back(at::cat(parts));
      piece.groups.push_back(std::move(group));
    }
    pieces.push_back(std::move(piece));
  }

  Setting() {
    addPiece({{{13, 7, 7}, 5}, {{5}, 13}});
    addPiece({{{17, 17}, 5}, {{5}, 17}});
    addPiece({{{1}, 3}, {{2}, 3}, {{64}, 9}});     // fewer rows than ranks
    addPiece({{{3001}, 1200}});                    // shards of more than one message
    addPiece({{{6, 6, 6}, 4}});
  }
};

// Every row of every group exactly once, and equal.
void expectWhole(const PieceWeights& weights, const std::vector<at::Tensor>& expected) {
  ASSERT_EQ(weights.size(), expected.size());
  for (size_t g = 0; g < expected.size(); ++g) {
    at::Tensor seen = at::zeros({expected[g].size(0)}, at::kLong), values = at::zeros_like(expected[g]);
    for (const RowBlock& block : weights[g]) {
      seen.narrow(0, block.rowBegin, block.weight.size(0)).add_(1);
      values.narrow(0, block.rowBegin, block.weight.size(0)).copy_(block.weight);
    }
    EXPECT_TRUE(seen.eq(1).all().item<bool>()) << "group " << g;
    EXPECT_TRUE(values.equal(expected[g])) << "group " << g;
  }
}

struct Iteration {
  int prefetchDepth = 0;
  size_t lowest = 0;  // the first piece with a backward
};

void use(ParameterStore& store, const Setting& setting, size_t piece, Interval keptOver) {
  SCOPED_TRACE("piece " + std::to_string(piece));
  expectWhole(store.acquire(piece), setting.expected[piece]);
  store.release(piece, keptOver);
}

void run(ParameterStore& store, const Setting& setting, const Iteration& iteration) {
  const auto count = static_cast<int64_t>(store.pieceCount()), lowest = static_cast<int64_t>(iteration.lowest);
  for (int64_t i = 0; i < count; ++i) {
    for (int64_t next = i; next <= std::min(count - 1, i + iteration.prefetchDepth); ++next) store.prefetch(static_cast<size_t>(next));
    use(store, setting, static_cast<size_t>(i), i >= lowest ? Interval::Turn : Interval::Boundary);
  }
  for (int64_t i = count - 1; i >= lowest; --i) {
    for (int64_t next = i; next >= std::max(lowest, i - iteration.prefetchDepth); --next) store.prefetch(static_cast<size_t>(next));
    use(store, setting, static_cast<size_t>(i), Interval::Boundary);
  }
}

std::vector<bool> backwards(const ParameterStore& store, size_t lowest) {
  std::vector<bool> result;
  for (size_t i = 0; i < store.pieceCount(); ++i) result.push_back(i >= lowest);
  return result;
}

int64_t keptBytes(const ParameterStore& store, Interval interval) {
  int64_t bytes = 0;
  for (size_t i = 0; i < store.pieceCount(); ++i) bytes += store.keptBytes(i, interval);
  return bytes;
}

// From the second iteration on, exactly what was announced is gathered; between iterations no more is held than allowed.
void expectTraffic(ParameterStore& store, const Setting& setting, const Ledger& ledger, const Iteration& iteration) {
  const auto hasBackward = backwards(store, iteration.lowest);
  EXPECT_LE(ledger.held()[Space::Dynamic], keptBytes(store, Interval::Boundary)) << "right after the plan";
  for (int round = 0; round < 3; ++round) {
    store.takeStatistics();
    run(store, setting, iteration);
    const auto statistics = store.takeStatistics();
    if (round > 0) {
      EXPECT_EQ(statistics.remoteBytes, store.remoteBytesPerIteration(hasBackward)) << "iteration " << round;
      if (statistics.remoteBytes == 0) { EXPECT_EQ(statistics.misses, 0); }
    }
    EXPECT_LE(ledger.held()[Space::Dynamic], keptBytes(store, Interval::Boundary)) << "iteration " << round;
  }
}

std::vector<PieceKeep> keepsOf(const ParameterStore& store, size_t lowest, const std::function<double()>& draw) {
  std::vector<PieceKeep> keeps;
  for (size_t i = 0; i < store.pieceCount(); ++i) {
    const auto part = [&] { return static_cast<int64_t>(draw() * static_cast<double>(store.remoteBytes(i))); };
    const int64_t boundary = part();
    keeps.push_back({boundary, i < lowest ? boundary : part()});
  }
  return keeps;
}

class StoreRanks : public testing::TestWithParam<int> {
 protected:
  void forEachRank(const std::function<void(ParameterStore&, const Setting&, Ledger&)>& body) {
    test::forkRanks(GetParam(), [&](comm::Communicator& communicator) {
      const Setting setting;
      Ledger ledger;
      const LedgerScope installed(ledger);
      {
        ParameterStore store(setting.pieces, communicator, Sharding::Sharded, c10::Device(c10::kCPU));
        const Status loaded = store.load(setting.source);
        ASSERT_TRUE(loaded.ok()) << loaded.error().message();
        EXPECT_EQ(ledger.held()[Space::Static], store.staticBytes());
        body(store, setting, ledger);
      }
      EXPECT_EQ(ledger.held().total(), 0) << "after the store is gone";
    }, std::chrono::seconds(100));
  }
};
INSTANTIATE_TEST_SUITE_P(Ranks, StoreRanks, testing::Values(1, 2, 3));

TEST_P(StoreRanks, KeepingNothingPartsAndAll) {
  forEachRank([](ParameterStore& store, const Setting& setting, Ledger& ledger) {
    for (const double part : {0.0, 0.3, 0.5, 0.97, 1.0}) {
      SCOPED_TRACE("keeping " + std::to_string(part));
      store.setKeeps(keepsOf(store, 0, [&] { return part; }));
      expectTraffic(store, setting, ledger, {1, 0});
      if (part == 1.0) { EXPECT_EQ(store.remoteBytesPerIteration(backwards(store, 0)), 0); }
    }
  });
}

TEST_P(StoreRanks, RandomPlansDepthsAndAdapters) {
  forEachRank([](ParameterStore& store, const Setting& setting, Ledger& ledger) {
    std::mt19937 random(21);  // the same on every rank
    for (int plan = 0; plan < 12; ++plan) {
      SCOPED_TRACE("plan " + std::to_string(plan));
      const Iteration iteration{static_cast<int>(random() % 4), random() % store.pieceCount()};
      store.setKeeps(keepsOf(store, iteration.lowest, [&] {
        const unsigned kind = random() % 4;
        return kind == 0 ? 0.0 : kind == 1 ? 1.0 : static_cast<double>(random() % 1000) / 1000;
      }));
      expectTraffic(store, setting, ledger, iteration);
    }
  });
}

// The header: what is held already stays where the new cuts allow it.
TEST_P(StoreRanks, AnEqualPlanGathersNothingAgain) {
  forEachRank([](ParameterStore& store, const Setting& setting, Ledger&) {
    const auto keeps = keepsOf(store, 0, [] { return 0.6; });
    store.setKeeps(keeps);
    run(store, setting, {});
    store.setKeeps(keeps);
    store.takeStatistics();
    run(store, setting, {});
    EXPECT_EQ(store.takeStatistics().remoteBytes, store.remoteBytesPerIteration(backwards(store, 0)));
  });
}

TEST_P(StoreRanks, DropRemoteLeavesTheOwnShardAlone) {
  forEachRank([](ParameterStore& store, const Setting& setting, Ledger& ledger) {
    store.setKeeps(keepsOf(store, 0, [] { return 1.0; }));
    run(store, setting, {});
    const int64_t held = ledger.held()[Space::Dynamic];
    if (GetParam() > 1) { EXPECT_GT(held, 0); }
    store.dropRemote();
    EXPECT_EQ(ledger.held()[Space::Dynamic], 0);
    EXPECT_EQ(ledger.held()[Space::Static], store.staticBytes());
    store.takeStatistics();
    run(store, setting, {2, 0});
    EXPECT_EQ(store.takeStatistics().remoteBytes, held);  // once, and kept again
  });
}

TEST_P(StoreRanks, BytesAddUp) {
  forEachRank([](ParameterStore& store, const Setting& setting, Ledger&) {
    int64_t whole = 0;
    for (size_t i = 0; i < store.pieceCount(); ++i) {
      int64_t bytes = 0;
      for (const at::Tensor& group : setting.expected[i]) bytes += static_cast<int64_t>(group.nbytes());
      EXPECT_EQ(store.pieceBytes(i), bytes);
      EXPECT_LT(store.remoteBytes(i), bytes);
      whole += bytes;
    }
    store.setKeeps(keepsOf(store, 0, [] { return 0.0; }));
    const std::vector<bool> none(store.pieceCount(), false);
    EXPECT_EQ(store.remoteBytesPerIteration(none), GetParam() == 1 ? 0 : whole - store.staticBytes());
  });
}

// Matrices in several formats, also within a group: every row arrives, and decodes to what was read.
TEST(Store, EncodedRowsOfMixedFormatsArriveWhole) {
  test::forkRanks(3, [](comm::Communicator& communicator) {
    const auto opened = weights::ModelSource::open(std::string(TIDEMARK_GOLDEN) + "/weights/tiny-llama-quantised.gguf");
    ASSERT_TRUE(opened.ok());
    const weights::ModelSource& source = **opened;
    const auto matrix = [&](const std::string& name, weights::WeightForm form) {
      return WeightMatrix{name, source.find(name)->shape[0], weights::formatFor(form, source, name)};
    };
    const std::string layer = "model.layers.1.";
    const auto stored = weights::WeightForm::Stored;
    const PieceSpec attention{"attention",
                              {{{matrix(layer + "self_attn.q_proj.weight", stored), matrix(layer + "self_attn.k_proj.weight", stored),
                                 matrix(layer + "self_attn.v_proj.weight", stored)}, 64},
                               {{matrix(layer + "self_attn.o_proj.weight", weights::WeightForm::Nf4)}, 64}}};
    const PieceSpec mlp{"mlp", {{{matrix(layer + "mlp.down_proj.weight", stored)}, 176},
                                {{matrix(layer + "mlp.up_proj.weight", weights::WeightForm::Float32)}, 64}}};
    ParameterStore store({attention, mlp}, communicator, Sharding::Sharded, c10::Device(c10::kCPU));
    ASSERT_TRUE(store.load(source).ok());
    store.setKeeps({{1500, 2500}, {0, 4000}});
    for (int round = 0; round < 2; ++round)
      for (size_t p = 0; p < store.pieceCount(); ++p) {
        const PieceWeights& weights = store.acquire(p);
        for (size_t g = 0; g < weights.size(); ++g) {
          const WeightGroup& group = store.spec(p).groups[g];
          at::Tensor expected = at::empty({0, group.columns}), values = at::zeros({group.rows(), group.columns});
          for (const WeightMatrix& m : group.matrices) {
            std::vector<std::byte> bytes(static_cast<size_t>(m.rows * m.format.rowBytes()));
            ASSERT_TRUE(source.readRowsAs(m.format, m.tensor, 0, m.rows, bytes.data()).ok());
            const at::Tensor part = at::empty({m.rows, group.columns});
            m.format.decode(bytes.data(), m.rows, part.mutable_data_ptr<float>());
            expected = at::cat({expected, part});
          }
          int64_t rows = 0;
          for (const RowBlock& block : weights[g]) {
            ASSERT_NE(block.format, nullptr);
            const at::Tensor part = at::empty({block.weight.size(0), group.columns});
            block.format->decode(static_cast<const std::byte*>(block.weight.const_data_ptr()), part.size(0), part.mutable_data_ptr<float>());
            values.narrow(0, block.rowBegin, part.size(0)).copy_(part);
            rows += part.size(0);
          }
          EXPECT_EQ(rows, group.rows());
          EXPECT_TRUE(values.equal(expected)) << p << " " << g;
        }
        store.release(p, round == 0 ? Interval::Turn : Interval::Boundary);
      }
    EXPECT_LT(store.pieceBytes(0), 64 * (64 + 32 + 32 + 64) * 2) << "the file's bytes, not float32";
  });
}

// Policy unsharded: every rank holds everything and asks nobody.
TEST(Store, WholeNeedsNoGathers) {
  test::forkRanks(2, [](comm::Communicator& communicator) {
    const Setting setting;
    Ledger ledger;
    const LedgerScope installed(ledger);
    ParameterStore store(setting.pieces, communicator, Sharding::Whole, c10::Device(c10::kCPU));
    ASSERT_TRUE(store.load(setting.source).ok());
    if (communicator.rank() == 0) run(store, setting, {2, 0});  // the other rank does not take part
    EXPECT_EQ(store.takeStatistics().remoteBytes, 0);
    EXPECT_EQ(ledger.held()[Space::Dynamic], 0);
  });
}

}  // namespace
}  // namespace tidemark::memory
