#include "core/memory/ledger.h"

#include <ATen/ATen.h>
#include <c10/core/Allocator.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <thread>

namespace tidemark::memory {
namespace {

at::Tensor bytes(int64_t count) { return at::empty({count}, at::kByte); }

at::Tensor bytesIn(Space space, int64_t count) {
  const SpaceScope scope(space);
  return bytes(count);
}

constexpr std::array kSpaces{Space::Activation, Space::Workspace, Space::Dynamic, Space::Static, Space::Trainable};

TEST(Ledger, BooksEachSpaceAndNestedScopes) {
  Ledger ledger;
  const LedgerScope installed(ledger);
  std::vector<at::Tensor> living;
  for (size_t i = 0; i < kSpaces.size(); ++i) living.push_back(bytesIn(kSpaces[i], 1000 << i));
  for (size_t i = 0; i < kSpaces.size(); ++i) EXPECT_EQ(ledger.held()[kSpaces[i]], 1000 << i) << spaceName(kSpaces[i]);
  EXPECT_EQ(ledger.held().total(), 31'000);
  EXPECT_EQ(ledger.held().withoutDynamic(), 31'000 - 4000);
  {
    const SpaceScope outer(Space::Static);
    { const SpaceScope inner(Space::Trainable); }
    living.push_back(bytes(5));
  }
  EXPECT_EQ(ledger.held()[Space::Static], 8005);
  living.push_back(bytes(7));
  EXPECT_EQ(ledger.held()[Space::Workspace], 2007);
  living.clear();
  EXPECT_EQ(ledger.held().total(), 0);
}

TEST(Ledger, CountsAStorageOnceAndUntilItsLastView) {
  Ledger ledger;
  const LedgerScope installed(ledger);
  at::Tensor whole = bytes(4096), view = whole.narrow(0, 100, 10);
  EXPECT_EQ(ledger.held().total(), 4096);
  whole.reset();
  EXPECT_EQ(ledger.held().total(), 4096);
  view.reset();
  EXPECT_EQ(ledger.held().total(), 0);
}

TEST(Ledger, ForgetsWhatWasThereBeforeIt) {
  Ledger ledger;
  at::Tensor before = bytes(1 << 20);
  const LedgerScope installed(ledger);
  const at::Tensor after = bytes(300);
  before.reset();
  EXPECT_EQ(ledger.held().total(), 300);
}

TEST(Ledger, SettlingKeepsWhatAWindowLeaves) {
  Ledger ledger;
  const LedgerScope installed(ledger);
  const at::Tensor earlier = bytes(10);
  ledger.beginWindow();
  at::Tensor temporary = bytes(1000);
  const at::Tensor kept = bytes(200), gathered = bytesIn(Space::Dynamic, 5000);
  temporary.reset();
  const at::Tensor alsoKept = bytes(30);
  const Ledger::Window window = ledger.settleWindow();
  EXPECT_EQ(window.keptBytes, 230);
  EXPECT_EQ(window.peakWorkspaceBytes, 1210);
  EXPECT_EQ(window.peakWithoutDynamicBytes, 1210);
  EXPECT_EQ(window.peakBytes, 6210);
  EXPECT_EQ(ledger.held()[Space::Activation], 230);
  EXPECT_EQ(ledger.held()[Space::Workspace], 10);
  EXPECT_EQ(ledger.held()[Space::Dynamic], 5000);
}

TEST(Ledger, EndingAWindowLeavesBookings) {
  Ledger ledger;
  const LedgerScope installed(ledger);
  ledger.beginWindow();
  const at::Tensor kept = bytes(200);
  EXPECT_EQ(ledger.endWindow().keptBytes, 0);
  EXPECT_EQ(ledger.held()[Space::Workspace], 200);
}

TEST(Ledger, PeaksSeeWhatIsRebooked) {
  Ledger ledger;
  const LedgerScope installed(ledger);
  at::Tensor t = bytes(640);
  ledger.takePeaks();
  ledger.rebook(t, Space::Trainable);
  EXPECT_EQ(ledger.held()[Space::Trainable], 640);
  t.reset();
  const Ledger::Peaks peaks = ledger.takePeaks();
  EXPECT_EQ(peaks.ofSpace[Space::Trainable], 640);
  EXPECT_EQ(peaks.total, 640);
  EXPECT_EQ(ledger.takePeaks().total, 0);
}

TEST(Ledger, TheBudgetThrowsBeforeItIsPassed) {
  Ledger ledger;
  const LedgerScope installed(ledger);
  ledger.setBudget(10'000);
  const at::Tensor first = bytesIn(Space::Static, 6000);
  const at::Tensor exactly = bytes(4000);
  try {
    const at::Tensor more = bytes(1);
    FAIL() << "the budget was passed";
  } catch (const BudgetExceeded& e) {
    EXPECT_EQ(e.requestedBytes, 1);
    EXPECT_EQ(e.budgetBytes, 10'000);
    EXPECT_EQ(e.held[Space::Static], 6000);
    EXPECT_EQ(e.held.total(), 10'000);
  }
  EXPECT_EQ(ledger.held().total(), 10'000);
  EXPECT_EQ(ledger.takePeaks().total, 10'000);
  ledger.setBudget(0);
  EXPECT_NO_THROW(bytes(1 << 20));
}

// What was running, on what, and who holds the memory: the greatest first.
TEST(Ledger, ARefusalTellsWhereAndWhoHoldsWhat) {
  Ledger ledger;
  const LedgerScope installed(ledger);
  ledger.setBudget(10'000);
  const std::string first = "layers.0.mlp", second = "layers.1.mlp";
  const at::Tensor weights = bytesIn(Space::Static, 1000);
  ledger.beginWindow({&first, "forward", 20, 2});
  const at::Tensor one = bytes(3000), two = bytes(2000);
  ledger.settleWindow();
  ledger.beginWindow({&second, "forward", 20, 2});
  const at::Tensor three = bytes(500);
  try {
    const at::Tensor more = bytes(4000);
    FAIL() << "the budget was passed";
  } catch (const BudgetExceeded& e) {
    EXPECT_EQ(e.where, "layers.1.mlp, forward of 20 tokens in 2 rows");
    ASSERT_EQ(e.holders.size(), 3u);
    EXPECT_EQ(e.holders[0].what, "activation of layers.0.mlp");
    EXPECT_EQ(e.holders[0].bytes, 5000);
    EXPECT_EQ(e.holders[0].tensors, 2);
    EXPECT_EQ(e.holders[1].what, "static cache");
    EXPECT_EQ(e.holders[2].what, "workspace of layers.1.mlp");
    EXPECT_NE(e.account().find("in layers.1.mlp, forward of 20 tokens in 2 rows. Held: activation of layers.0.mlp 4.88 KiB in 2 tensors"),
              std::string::npos) << e.account();
  }
  ledger.endWindow();
}

// A refused allocation must not stay in the ledger, nor spoil the bookings of who gets its address next.
TEST(Ledger, GoesOnAfterARefusal) {
  Ledger ledger;
  const LedgerScope installed(ledger);
  ledger.setBudget(1000);
  for (int i = 0; i < 100; ++i) {
    EXPECT_THROW(bytes(1001), BudgetExceeded);
    const at::Tensor fits = bytes(1000);
    EXPECT_EQ(ledger.held().total(), 1000);
  }
  EXPECT_EQ(ledger.held().total(), 0);
}

TEST(Ledger, SeesReleasesOfAnotherThreadThatHasAScope) {
  Ledger ledger;
  const LedgerScope installed(ledger);
  at::Tensor t = bytes(777);
  std::thread([&, moved = std::move(t)]() mutable {
    const LedgerScope here(ledger);
    moved.reset();
  }).join();
  EXPECT_EQ(ledger.held().total(), 0);
}

// What a thread without a scope releases is lost, but only until the address is used again: it never counts twice.
TEST(Ledger, AnAddressIsNeverHeldTwice) {
  Ledger ledger;
  const LedgerScope installed(ledger);
  std::array<char, 8> memory{};
  const auto report = [&](int64_t size) { c10::reportMemoryUsageToProfiler(memory.data(), size, 0, 0, c10::Device(c10::kCPU)); };
  report(96);
  std::thread([&] { report(-96); }).join();
  EXPECT_EQ(ledger.held().total(), 96);
  report(64);
  EXPECT_EQ(ledger.held().total(), 64);
  report(-64);
  EXPECT_EQ(ledger.held().total(), 0);
}

// Settling is about blocks, not about addresses: who gets the address of a block of the window is not of the window.
TEST(Ledger, SettlingPassesOverWhoTookTheAddressOfAWindowsBlock) {
  Ledger ledger;
  const LedgerScope installed(ledger);
  std::array<char, 8> memory{};
  const auto report = [&](int64_t size) { c10::reportMemoryUsageToProfiler(memory.data(), size, 0, 0, c10::Device(c10::kCPU)); };
  ledger.beginWindow();
  report(96);
  report(-96);
  {
    const SpaceScope scope(Space::Static);
    report(64);
  }
  const at::Tensor at = at::from_blob(memory.data(), {8}, at::kByte);
  ledger.rebook(at, Space::Workspace);
  EXPECT_EQ(ledger.settleWindow().keptBytes, 0);
  EXPECT_EQ(ledger.held()[Space::Workspace], 64);
  report(-64);
}

// The same events on a list of blocks, with every figure computed anew after each.
class Replay {
 public:
  void allocate(size_t id, int64_t size, Space space) {
    blocks_.push_back({id, size, space, isOpen_ && space == Space::Workspace});
    note();
  }
  void release(size_t id) { std::erase_if(blocks_, [&](const Block& b) { return b.id == id; }); }
  void rebook(size_t id, Space space) {
    for (Block& b : blocks_)
      if (b.id == id) b.space = space;
    note();
  }
  void begin() {
    isOpen_ = true;
    for (Block& b : blocks_) b.isInWindow = false;
    window = {};
    note();
  }
  void end(bool settles) {
    isOpen_ = false;
    for (Block& b : blocks_)
      if (settles && b.isInWindow && b.space == Space::Workspace) {
        window.keptBytes += b.size;
        b.space = Space::Activation;
      }
    note(settles);
  }
  SpaceBytes held() const {
    SpaceBytes result;
    for (const Block& b : blocks_) result[b.space] += b.size;
    return result;
  }
  void takePeaks() { peaks = {held().total(), held(), held()}; }

  Ledger::Window window;
  Ledger::Peaks peaks;

 private:
  void note(bool notesPeaks = true) {
    const SpaceBytes now = held();
    if (isOpen_) {
      window.peakBytes = std::max(window.peakBytes, now.total());
      window.peakWithoutDynamicBytes = std::max(window.peakWithoutDynamicBytes, now.withoutDynamic());
      window.peakWorkspaceBytes = std::max(window.peakWorkspaceBytes, now[Space::Workspace]);
    }
    if (!notesPeaks) return;
    for (const Space space : kSpaces) peaks.ofSpace[space] = std::max(peaks.ofSpace[space], now[space]);
    if (now.total() > peaks.total) {
      peaks.total = now.total();
      peaks.atTotalPeak = now;
    }
  }
  struct Block {
    size_t id;
    int64_t size;
    Space space;
    bool isInWindow;  // allocated in the window that is open, as workspace
  };
  std::vector<Block> blocks_;
  bool isOpen_ = false;
};

void expectEqual(const Ledger::Window& window, const Replay& replay) {
  EXPECT_EQ(window.peakBytes, replay.window.peakBytes);
  EXPECT_EQ(window.peakWithoutDynamicBytes, replay.window.peakWithoutDynamicBytes);
  EXPECT_EQ(window.peakWorkspaceBytes, replay.window.peakWorkspaceBytes);
  EXPECT_EQ(window.keptBytes, replay.window.keptBytes);
}

void expectEqual(const Ledger::Peaks& peaks, const Replay& replay) {
  EXPECT_EQ(peaks.total, replay.peaks.total);
  EXPECT_EQ(peaks.atTotalPeak.bytes, replay.peaks.atTotalPeak.bytes);
  EXPECT_EQ(peaks.ofSpace.bytes, replay.peaks.ofSpace.bytes);
}

TEST(Ledger, EqualsABruteForceReplay) {
  for (unsigned seed = 0; seed < 30 && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    Ledger ledger;
    const LedgerScope installed(ledger);
    Replay replay;
    std::vector<std::pair<size_t, at::Tensor>> living;
    bool isOpen = false;
    for (size_t event = 0; event < 400; ++event) {
      const unsigned what = random() % 20;
      const Space space = kSpaces[random() % kSpaces.size()];
      if (what < 9 || living.empty()) {
        const auto size = static_cast<int64_t>(1 + random() % 3000);
        living.emplace_back(event, bytesIn(space, size));
        replay.allocate(event, size, space);
      } else if (what < 15) {
        const size_t which = random() % living.size();
        replay.release(living[which].first);
        living.erase(living.begin() + static_cast<long>(which));
      } else if (what < 16) {
        const auto& [id, tensor] = living[random() % living.size()];
        ledger.rebook(tensor, space);
        replay.rebook(id, space);
      } else if (what < 19 && !isOpen) {
        ledger.beginWindow();
        replay.begin();
        isOpen = true;
      } else if (what < 19) {
        const bool settles = random() % 2 == 0;
        replay.end(settles);
        expectEqual(settles ? ledger.settleWindow() : ledger.endWindow(), replay);
        isOpen = false;
      } else {
        expectEqual(ledger.takePeaks(), replay);
        replay.takePeaks();
      }
      ASSERT_EQ(ledger.held().bytes, replay.held().bytes) << "event " << event;
    }
    expectEqual(ledger.takePeaks(), replay);
  }
}

}  // namespace
}  // namespace tidemark::memory
