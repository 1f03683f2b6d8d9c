// Books every byte that libtorch's allocators hand out to one of the five spaces, and holds the budget: an allocation
// that would pass it throws BudgetExceeded before the memory is touched. It measures; it never decides what to keep.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/DeviceType.h>

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace tidemark::memory {

enum class Space { Activation, Workspace, Dynamic, Static, Trainable };
inline constexpr int kSpaceCount = 5;
const char* spaceName(Space space);

struct SpaceBytes {
  std::array<int64_t, kSpaceCount> bytes{};
  int64_t operator[](Space space) const { return bytes[static_cast<size_t>(space)]; }
  int64_t& operator[](Space space) { return bytes[static_cast<size_t>(space)]; }
  int64_t total() const;
  int64_t withoutDynamic() const { return total() - (*this)[Space::Dynamic]; }
};

// What runs in a window of time. The name must outlive the ledger.
struct WindowLabel {
  const std::string* name = nullptr;  // of the operator
  const char* phase = "";             // "forward", ...
  int64_t tokens = 0, rows = 0;       // of the micro-batch
};

// Tells what was running, what is held, and by whom: enough to see what to change.
class BudgetExceeded : public std::runtime_error {
 public:
  struct Holder {
    std::string what;   // a space, or "activation of layers.3.mlp"
    int64_t bytes = 0, tensors = 0;
  };
  BudgetExceeded(int64_t requested, SpaceBytes held, int64_t budget, const WindowLabel& running, std::vector<Holder> holders);
  int64_t requestedBytes, budgetBytes;
  SpaceBytes held;
  std::string where;            // "layers.3.mlp, backward of 255 tokens in 4 rows"; empty outside all windows
  std::vector<Holder> holders;  // the greatest first, a few of them
  std::string advice;           // what would fit, where whoever ran it knows
  std::string account() const;  // all of this as sentences
};

// One ledger per process. All threads that allocate or release tensors must hold a LedgerScope, or their bytes are lost
// to it; in Tidemark that is the rank's main thread alone.
class Ledger {
 public:
  Ledger();
  ~Ledger();
  Ledger(const Ledger&) = delete;
  Ledger& operator=(const Ledger&) = delete;

  // Books what lies on devices of this kind (the processor's memory where nothing else was said) and nothing else.
  void watch(c10::DeviceType device);
  void setBudget(int64_t bytes);  // 0: none
  int64_t budget() const;

  SpaceBytes held() const;

  // A window of time, for instance one operator's forward. Windows do not nest.
  struct Window {
    int64_t peakBytes = 0;                // of everything
    int64_t peakWithoutDynamicBytes = 0;  // what the capacity for remote weights is computed from
    int64_t peakWorkspaceBytes = 0;
    int64_t keptBytes = 0;                // booked to activation when the window was settled
  };
  void beginWindow(const WindowLabel& label = {});
  // Ends the window. What was allocated in it as workspace and still lives becomes activation.
  Window settleWindow();
  // Ends the window and leaves every booking as it is.
  Window endWindow();

  // Peaks since the last call, of every space on its own and of the total.
  struct Peaks {
    int64_t total = 0;
    SpaceBytes ofSpace;
    SpaceBytes atTotalPeak;
  };
  Peaks takePeaks();

  // Books a living tensor's storage to another space.
  void rebook(const at::Tensor& tensor, Space space);

  class Impl;
  std::shared_ptr<Impl> impl() const { return impl_; }

 private:
  std::shared_ptr<Impl> impl_;
};

// Installs the ledger on the calling thread for its lifetime.
class LedgerScope {
 public:
  explicit LedgerScope(const Ledger& ledger);
  ~LedgerScope();

 private:
  struct Guard;
  std::unique_ptr<Guard> guard_;
};

// What the calling thread allocates within this scope is booked to `space` (workspace where no scope is open).
class SpaceScope {
 public:
  explicit SpaceScope(Space space);
  ~SpaceScope();
  SpaceScope(const SpaceScope&) = delete;
  SpaceScope& operator=(const SpaceScope&) = delete;

 private:
  Space previous_;
};

}  // namespace tidemark::memory
