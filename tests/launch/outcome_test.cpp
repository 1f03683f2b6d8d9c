#include "core/launch/outcome.h"

#include <gtest/gtest.h>

#include <csignal>

namespace tidemark::launch {
namespace {

using run::ExitCode;

constexpr int exited(int code) { return code << 8; }
constexpr int killed(int number) { return number; }

TEST(Outcome, AllDoneIsDone) { EXPECT_EQ(judge({{0, exited(0)}, {1, exited(0)}}, StopRequest::None).exitCode, ExitCode::Done); }

TEST(Outcome, ARankThatWasDoneBeforeTheStopDoesNotHinderIt) {
  const auto verdict = judge({{0, exited(0), SIGTERM}, {1, exited(130), SIGTERM}}, StopRequest::AtCheckpoint);
  EXPECT_EQ(verdict.exitCode, ExitCode::Stopped);
  EXPECT_FALSE(verdict.lacksCheckpoint);
}

TEST(Outcome, DyingFromTheAgentsOwnSignalIsNoFailure) {
  const auto verdict = judge({{0, killed(SIGTERM), SIGTERM}}, StopRequest::AtCheckpoint);
  EXPECT_EQ(verdict.exitCode, ExitCode::Stopped);
  EXPECT_TRUE(verdict.lacksCheckpoint);
}

TEST(Outcome, AKilledRankExplainsMoreThanAPeersComplaintBeforeIt) {
  const auto verdict = judge({{0, exited(3), 0}, {1, killed(SIGKILL), SIGTERM}}, StopRequest::None);
  EXPECT_EQ(verdict.exitCode, ExitCode::RankLost);
  EXPECT_EQ(verdict.rank, 1);
}

TEST(Outcome, AnAbortOnTheWayDownExplainsNothing) {
  const auto verdict = judge({{0, exited(3), 0}, {1, killed(SIGABRT), SIGTERM}}, StopRequest::None);
  EXPECT_EQ(verdict.exitCode, ExitCode::Failed);
  EXPECT_EQ(verdict.rank, 0);
}

TEST(Outcome, ARankThatReportsALostPeerIsNotTheCause) {
  const auto verdict = judge({{0, exited(5), 0}, {1, exited(3), SIGTERM}}, StopRequest::None);
  EXPECT_EQ(verdict.exitCode, ExitCode::Failed);
  EXPECT_EQ(verdict.rank, 1);
  EXPECT_EQ(judge({{0, exited(5), 0}, {1, exited(5), 0}}, StopRequest::None).exitCode, ExitCode::RankLost);
}

TEST(Outcome, OutOfMemoryKeepsItsCode) {
  const auto verdict = judge({{1, exited(4), 0}, {0, killed(SIGABRT), SIGTERM}}, StopRequest::None);
  EXPECT_EQ(verdict.exitCode, ExitCode::OutOfMemory);
  EXPECT_EQ(verdict.failureCode, "out_of_memory");
}

}  // namespace
}  // namespace tidemark::launch
