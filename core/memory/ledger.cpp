#include "core/memory/ledger.h"

#include <c10/core/Allocator.h>
#include <c10/util/ThreadLocalDebugInfo.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <numeric>
#include <unordered_map>
#include <vector>

#include "core/base/bytes.h"
#include "core/base/counted.h"

namespace tidemark::memory {
namespace {

thread_local Space currentSpace = Space::Workspace;
constexpr size_t kHoldersTold = 6;

std::string describe(const WindowLabel& label) {
  if (!label.name) return "";
  std::string text = *label.name + ", " + label.phase;
  if (label.tokens > 0) text += " of " + counted(label.tokens, "token") + " in " + counted(label.rows, "row");
  return text;
}

}  // namespace

const char* spaceName(Space space) {
  static constexpr std::array<const char*, kSpaceCount> kNames{"activation", "workspace", "dynamic cache", "static cache",
                                                               "trainable state"};
  return kNames[static_cast<size_t>(space)];
}

int64_t SpaceBytes::total() const { return std::accumulate(bytes.begin(), bytes.end(), int64_t{0}); }

BudgetExceeded::BudgetExceeded(int64_t requested, SpaceBytes heldThen, int64_t budget, const WindowLabel& running, std::vector<Holder> who)
    : std::runtime_error("an allocation of " + formatBytes(requested) + " beside the " + formatBytes(heldThen.total()) +
                         " already held would pass the budget of " + formatBytes(budget)),
      requestedBytes(requested), budgetBytes(budget), held(heldThen), where(describe(running)), holders(std::move(who)) {}

std::string BudgetExceeded::account() const {
  std::string text = what();
  if (!where.empty()) text += ", in " + where;
  text += ". Held:";
  for (size_t i = 0; i < holders.size(); ++i)
    text += (i ? ", " : " ") + holders[i].what + " " + formatBytes(holders[i].bytes) + " in " + counted(holders[i].tensors, "tensor");
  return text + ". " + (advice.empty() ? "Raise memory.budget, shorten dataset.max_seq_length, lower training.micro_batch_size, or use more ranks" : advice);
}

// The object that libtorch reports to. Debug info is shared between threads, hence the mutex.
class Ledger::Impl : public c10::MemoryReportingInfoBase {
 public:
  void reportMemoryUsage(void* pointer, int64_t size, size_t, size_t, c10::Device device) override {
    if (device.type() != watched_) return;
    const std::lock_guard lock(mutex_);
    if (size >= 0) add(pointer, size);
    else remove(pointer);
  }
  bool memoryProfilingEnabled() const override { return true; }

  void add(void* pointer, int64_t size) {
    if (budget_ > 0 && held_.total() + size > budget_)
      throw BudgetExceeded(size, held_, budget_, windowOpen_ ? label_ : WindowLabel{}, greatestHolders());
    remove(pointer);  // of what had this address before, if a thread without a scope released it
    const Space space = currentSpace;
    const bool isInWindow = windowOpen_ && space == Space::Workspace;
    blocks_[pointer] = {size, space, isInWindow ? windowNumber_ : 0, isInWindow ? label_.name : nullptr};
    held_[space] += size;
    if (isInWindow) inWindow_.push_back(pointer);
    note();
  }

  void remove(void* pointer) {
    const auto found = blocks_.find(pointer);
    if (found == blocks_.end()) return;  // allocated before the ledger was installed
    held_[found->second.space] -= found->second.size;
    blocks_.erase(found);
  }

  void note() {
    const int64_t total = held_.total();
    window_.peakBytes = std::max(window_.peakBytes, total);
    window_.peakWithoutDynamicBytes = std::max(window_.peakWithoutDynamicBytes, held_.withoutDynamic());
    window_.peakWorkspaceBytes = std::max(window_.peakWorkspaceBytes, held_[Space::Workspace]);
    for (size_t i = 0; i < kSpaceCount; ++i)
      peaks_.ofSpace.bytes[i] = std::max(peaks_.ofSpace.bytes[i], held_.bytes[i]);
    if (total > peaks_.total) {
      peaks_.total = total;
      peaks_.atTotalPeak = held_;
    }
  }

  void rebookBlock(void* pointer, Space space) {
    const auto found = blocks_.find(pointer);
    if (found == blocks_.end()) return;
    held_[found->second.space] -= found->second.size;
    held_[space] += found->second.size;
    found->second.space = space;
  }

  struct Block {
    int64_t size = 0;
    Space space = Space::Workspace;
    int64_t window = 0;  // the one in which it was allocated as workspace; 0: none
    const std::string* by = nullptr;  // what ran in that window
  };
  std::vector<BudgetExceeded::Holder> greatestHolders() const {
    std::map<std::string, BudgetExceeded::Holder> sums;
    for (const auto& [pointer, block] : blocks_) {
      std::string what = spaceName(block.space);
      if (block.by) what += " of " + *block.by;
      BudgetExceeded::Holder& sum = sums[what];
      sum.what = what;
      sum.bytes += block.size;
      ++sum.tensors;
    }
    std::vector<BudgetExceeded::Holder> holders;
    for (auto& [what, sum] : sums) holders.push_back(std::move(sum));
    std::stable_sort(holders.begin(), holders.end(), [](const auto& a, const auto& b) { return a.bytes > b.bytes; });
    if (holders.size() > kHoldersTold) holders.resize(kHoldersTold);
    return holders;
  }

  mutable std::mutex mutex_;
  std::unordered_map<void*, Block> blocks_;
  SpaceBytes held_;
  int64_t budget_ = 0;
  c10::DeviceType watched_ = c10::DeviceType::CPU;
  Window window_;
  bool windowOpen_ = false;
  int64_t windowNumber_ = 0;
  WindowLabel label_;
  std::vector<void*> inWindow_;  // may name addresses that others have by now: see Block::window
  Peaks peaks_;
};

Ledger::Ledger() : impl_(std::make_shared<Impl>()) {}
Ledger::~Ledger() = default;

void Ledger::watch(c10::DeviceType device) { impl_->watched_ = device; }
void Ledger::setBudget(int64_t bytes) { impl_->budget_ = bytes; }
int64_t Ledger::budget() const { return impl_->budget_; }

SpaceBytes Ledger::held() const {
  const std::lock_guard lock(impl_->mutex_);
  return impl_->held_;
}

void Ledger::beginWindow(const WindowLabel& label) {
  const std::lock_guard lock(impl_->mutex_);
  impl_->label_ = label;
  impl_->windowOpen_ = true;
  ++impl_->windowNumber_;
  impl_->inWindow_.clear();
  impl_->window_ = {};
  impl_->note();
}

Ledger::Window Ledger::settleWindow() {
  const std::lock_guard lock(impl_->mutex_);
  for (void* pointer : impl_->inWindow_) {
    const auto found = impl_->blocks_.find(pointer);
    if (found == impl_->blocks_.end() || found->second.space != Space::Workspace) continue;
    if (found->second.window != impl_->windowNumber_) continue;
    impl_->window_.keptBytes += found->second.size;
    impl_->rebookBlock(pointer, Space::Activation);
  }
  impl_->inWindow_.clear();
  impl_->windowOpen_ = false;
  impl_->note();
  return impl_->window_;
}

Ledger::Window Ledger::endWindow() {
  const std::lock_guard lock(impl_->mutex_);
  impl_->inWindow_.clear();
  impl_->windowOpen_ = false;
  return impl_->window_;
}

Ledger::Peaks Ledger::takePeaks() {
  const std::lock_guard lock(impl_->mutex_);
  const Peaks peaks = impl_->peaks_;
  impl_->peaks_ = {impl_->held_.total(), impl_->held_, impl_->held_};
  return peaks;
}

void Ledger::rebook(const at::Tensor& tensor, Space space) {
  const std::lock_guard lock(impl_->mutex_);
  impl_->rebookBlock(tensor.storage().mutable_data(), space);
  impl_->note();
}

struct LedgerScope::Guard {
  explicit Guard(const std::shared_ptr<c10::DebugInfoBase>& info) : guard(c10::DebugInfoKind::PROFILER_STATE, info) {}
  c10::DebugInfoGuard guard;
};

LedgerScope::LedgerScope(const Ledger& ledger) : guard_(std::make_unique<Guard>(ledger.impl())) {}
LedgerScope::~LedgerScope() = default;

SpaceScope::SpaceScope(Space space) : previous_(std::exchange(currentSpace, space)) {}
SpaceScope::~SpaceScope() { currentSpace = previous_; }

}  // namespace tidemark::memory
