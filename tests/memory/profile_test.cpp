#include "core/memory/profile.h"

#include <gtest/gtest.h>

#include <array>

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

// Three operators that save 100, 200 and 400 bytes beside outputs of 10: figures of any choice tell those of any other.
TEST(Profile, WhatIsSavedIsHeldUntilItsOwnBackward) {
  const Recomputed none{false, false, false}, two{true, false, true};
  IterationFigures saved;
  int64_t held = 1000;
  for (const int64_t bytes : {100, 200, 400}) {
    OperatorFigures f{10 + bytes, 50, held + bytes + 50, 0, 1, 2, 0, bytes, 0};
    held += 10 + bytes;
    f.backwardPeakBytes = held + 30;
    saved.operators.push_back(f);
  }
  saved.lossHead.forwardPeakBytes = held + 500;
  const IterationFigures partly = withRecomputed(saved, none, two, 10);
  EXPECT_EQ(partly.lossHead.forwardPeakBytes, saved.lossHead.forwardPeakBytes - 100 - 400);
  EXPECT_EQ(partly.operators[0].activationBytes, 10);
  EXPECT_EQ(partly.operators[0].forwardPeakBytes, saved.operators[0].forwardPeakBytes);
  EXPECT_EQ(partly.operators[0].wholeBackwardPeakBytes(), saved.operators[0].forwardPeakBytes + 10);
  EXPECT_EQ(partly.operators[1].activationBytes, 210);
  EXPECT_EQ(partly.operators[1].forwardPeakBytes, saved.operators[1].forwardPeakBytes - 100);
  EXPECT_EQ(partly.operators[1].wholeBackwardPeakBytes(), saved.operators[1].backwardPeakBytes - 100);
  EXPECT_EQ(partly.operators[2].forwardPeakBytes, saved.operators[2].forwardPeakBytes - 100);
  EXPECT_EQ(partly.operators[2].wholeBackwardSeconds(), 3);
  const IterationFigures back = withRecomputed(partly, two, none, 10);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(back.operators[i].activationBytes, saved.operators[i].activationBytes) << i;
    EXPECT_EQ(back.operators[i].forwardPeakBytes, saved.operators[i].forwardPeakBytes) << i;
    EXPECT_EQ(back.operators[i].wholeBackwardPeakBytes(), saved.operators[i].backwardPeakBytes) << i;
    EXPECT_EQ(back.operators[i].wholeBackwardSeconds(), 2) << i;
  }
  EXPECT_EQ(back.lossHead.forwardPeakBytes, saved.lossHead.forwardPeakBytes);
}

TEST(Profile, RecomputesFirstWhatFreesMostForItsTime) {
  IterationFigures figures;
  figures.operators.resize(3);
  for (size_t i = 0; i < 3; ++i) {
    figures.operators[i].savedBytes = std::array<int64_t, 3>{100, 900, 400}[i];
    figures.operators[i].forwardSeconds = 1;
  }
  const std::vector<Recomputed> choices = recomputeChoices(figures, {true, true, true});
  EXPECT_EQ(choices, (std::vector<Recomputed>{{false, false, false}, {false, true, false}, {false, true, true}, {true, true, true}}));
  EXPECT_EQ(recomputeChoices(figures, {false, false, true}), (std::vector<Recomputed>{{false, false, false}, {false, false, true}}));
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
