#include "core/comm/gather_cost.h"

#include <gtest/gtest.h>

#include <csignal>

namespace tidemark::comm {
namespace {

TEST(GatherCost, IsMeasuredAndCannotBeFree) {
  std::signal(SIGPIPE, SIG_IGN);
  const GatherCost cost = measureGatherCost();
  EXPECT_GT(cost.bytesPerSecond, 1e6);
  // Each byte is read and written at least once; no processor copies a terabyte a second.
  EXPECT_GT(cost.processorSecondsPerByte, 1e-12);
}

}  // namespace
}  // namespace tidemark::comm
