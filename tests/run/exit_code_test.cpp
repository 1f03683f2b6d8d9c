#include "core/run/exit_code.h"

#include <gtest/gtest.h>

namespace tidemark::run {

TEST(ExitCode, FollowsTheKindOfError) {
  const std::pair<ErrorCode, int> expected[] = {
      {ErrorCode::InvalidConfig, 2}, {ErrorCode::InvalidInput, 2}, {ErrorCode::NotFound, 2}, {ErrorCode::Unsupported, 2},
      {ErrorCode::Io, 3},            {ErrorCode::Busy, 3},         {ErrorCode::Internal, 3}, {ErrorCode::OutOfMemory, 4},
      {ErrorCode::RankLost, 5},      {ErrorCode::Cancelled, 130}};
  for (const auto& [code, exitCode] : expected)
    EXPECT_EQ(static_cast<int>(exitCodeFor({code, "", ""})), exitCode) << static_cast<int>(code);
}

}  // namespace tidemark::run
