// What goes wrong in a rank must be seen here, or none of the tests on several ranks proves anything.
#include "tests/comm/forked_ranks.h"

#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <stdexcept>
#include <thread>

namespace tidemark::test {
namespace {

void secondRank(const std::function<void()>& does, std::chrono::seconds limit = std::chrono::seconds(60)) {
  forkProcesses(2, [&](const comm::ProcessInfo& info) {
    if (info.rank == 1) does();
  }, limit);
}

TEST(ForkedRanks, AFailedExpectationIsSeen) {
  // On a thread of its own, where the interception of this macro does not reach.
  EXPECT_NONFATAL_FAILURE(secondRank([] { std::thread([] { EXPECT_EQ(1, 2); }).join(); }), "rank 1 of 2 left with status 1");
}

TEST(ForkedRanks, AnExceptionIsSeen) {
  EXPECT_NONFATAL_FAILURE(secondRank([] { throw std::runtime_error("no"); }), "rank 1 of 2 left with status 1");
}

TEST(ForkedRanks, ACrashIsSeen) {
  EXPECT_NONFATAL_FAILURE(secondRank([] { std::abort(); }), "rank 1 of 2 was killed by signal 6");
}

TEST(ForkedRanks, ARankThatHangsIsSeenAndEnded) {
  ::testing::TestPartResultArray failures;
  {
    const ::testing::ScopedFakeTestPartResultReporter reporter(
        ::testing::ScopedFakeTestPartResultReporter::INTERCEPT_ONLY_CURRENT_THREAD, &failures);
    secondRank([] { std::this_thread::sleep_for(std::chrono::hours(1)); }, std::chrono::seconds(1));
  }
  ASSERT_EQ(failures.size(), 2);
  EXPECT_NE(std::string(failures.GetTestPartResult(0).message()).find("still running after 1 s"), std::string::npos);
}

}  // namespace
}  // namespace tidemark::test
