// Decides when the memory that is really free calls for another budget: less, when others have taken what the plan counts
// on; more again, up to what was configured, when it is given back. It decides; MemoryControl plans.
#pragma once

#include <cstdint>

namespace tidemark::train {

struct BudgetReading {
  int64_t freeBytes = 0;          // of the device, now; 0: unknown
  int64_t heldBytes = 0;          // by this rank, of that device
  int64_t sharingRanks = 1;       // ranks that share the device
};

class BudgetWatch {
 public:
  // `configuredBytes`: what the run started with, and never more.
  explicit BudgetWatch(int64_t configuredBytes) : configuredBytes_(configuredBytes), budgetBytes_(configuredBytes) {}

  // What this rank could use in all; configuredBytes where nothing is known.
  int64_t allowedBytes(const BudgetReading& reading) const;
  // The budget from here on, given the least that any rank is allowed and the peak of the plan in force. The same as
  // before unless the plan no longer fits, or clearly more has become free.
  int64_t next(int64_t leastAllowedBytes, int64_t plannedPeakBytes) const;

  // What became of `next`: the budget in force. More than was asked for is the least that the run needs: less is not asked
  // for again.
  void use(int64_t budgetBytes, int64_t askedBytes);
  int64_t budgetBytes() const { return budgetBytes_; }
  int64_t configuredBytes() const { return configuredBytes_; }

 private:
  int64_t configuredBytes_, budgetBytes_, leastBytes_ = 0;
};

}  // namespace tidemark::train
