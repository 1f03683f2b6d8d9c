#include "core/memory/profile.h"

#include <gtest/gtest.h>

namespace tidemark::memory {
namespace {

constexpr HeadShape kHead{49'152, 576};

TEST(Profile, LargerBatchesGrowActivationsButNotTheChunkOfLogits) {
  const BatchSize measured{256, 400, 2}, wanted{1024, 1600, 2};
  IterationFigures figures;
  figures.tokens = measured.tokens;
  figures.targets = measured.targets;
  figures.operators = {{1000, 500, 11'000, 12'000, 1, 2, 3}};
  figures.lossHead.workspaceBytes = headWorkspaceBytes(kHead, measured);
  figures.lossHead.forwardPeakBytes = 10'000 + 2000 + figures.lossHead.workspaceBytes;
  const IterationFigures large = scaled(figures, batchRatio(kHead, measured, wanted), 10'000);
  EXPECT_EQ(large.tokens, 1024);
  EXPECT_EQ(large.operators[0].activationBytes, 4000);
  EXPECT_EQ(large.operators[0].backwardPeakBytes, 10'000 + 4 * 2000);
  EXPECT_EQ(large.operators[0].forwardSeconds, 4);
  EXPECT_NEAR(static_cast<double>(large.lossHead.workspaceBytes), static_cast<double>(headWorkspaceBytes(kHead, wanted)), 1);
  EXPECT_LT(large.lossHead.workspaceBytes, 3 * figures.lossHead.workspaceBytes) << "the chunk of logits is not larger";
  EXPECT_EQ(large.lossHead.forwardPeakBytes, 10'000 + 4 * 2000 + large.lossHead.workspaceBytes);
}

// Every rank multiplies the hidden states of all ranks with its own part of the vocabulary.
TEST(Profile, AnotherNumberOfRanksChangesTheLossHead) {
  const BatchSize alone{256, 200, 1}, shared{256, 800, 4};
  const BatchRatio ratio = batchRatio(kHead, alone, shared);
  EXPECT_EQ(ratio.tokens, 1);
  EXPECT_DOUBLE_EQ(ratio.lossHeadWorkspace, static_cast<double>(headWorkspaceBytes(kHead, shared)) / static_cast<double>(headWorkspaceBytes(kHead, alone)));
}

}  // namespace
}  // namespace tidemark::memory
