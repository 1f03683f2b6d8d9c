#include "core/train/budget_watch.h"

#include <algorithm>

#include "core/memory/plan_budget.h"

namespace tidemark::train {
namespace {

// Free memory moves all the time; a plan is made anew only for more than this.
constexpr double kClearlyMore = 1.1;

}  // namespace

int64_t BudgetWatch::allowedBytes(const BudgetReading& reading) const {
  if (reading.freeBytes <= 0) return configuredBytes_;
  return std::min(configuredBytes_, reading.heldBytes + memory::automaticBudgetBytes(reading.freeBytes, reading.sharingRanks));
}

int64_t BudgetWatch::next(int64_t leastAllowedBytes, int64_t plannedPeakBytes) const {
  const int64_t allowed = std::min(configuredBytes_, std::max(leastAllowedBytes, leastBytes_));
  if (allowed < std::min(plannedPeakBytes, budgetBytes_)) return allowed;
  const bool isMore = static_cast<double>(allowed) > kClearlyMore * static_cast<double>(budgetBytes_);
  return isMore || (allowed == configuredBytes_ && budgetBytes_ < configuredBytes_) ? allowed : budgetBytes_;
}

void BudgetWatch::use(int64_t budgetBytes, int64_t askedBytes) {
  budgetBytes_ = budgetBytes;
  if (budgetBytes > askedBytes) leastBytes_ = budgetBytes;
}

}  // namespace tidemark::train
