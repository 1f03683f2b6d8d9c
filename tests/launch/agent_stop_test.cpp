#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "tests/launch/agent_run.h"

namespace tidemark::launch {
namespace {

// Each test runs the agent in a process of its own, as the command line does, and sends it signals.
class AgentStop : public AgentRun {
 protected:
  void start() {
    agent_ = ::fork();
    ASSERT_GE(agent_, 0);
    if (agent_ != 0) return;
    const auto result = superviseRun(settings_, [](int64_t, const std::vector<run::Event>&) {});
    ::_exit(result.ok() ? static_cast<int>(*result) : 99);
  }
  int waitForAgent() {
    int status = 0;
    EXPECT_EQ(::waitpid(agent_, &status, 0), agent_);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }
  bool logHas(const std::string& part) const { return text("events.jsonl").find(part) != std::string::npos; }

  pid_t agent_ = -1;
};

TEST_F(AgentStop, SigtermStopsAllRanksWithACheckpoint) {
  scripts({"on_term 130\npid\ntouch ready-0\nsleep 60000", "on_term 130\npid\ntouch ready-1\nsleep 60000"});
  start();
  waitForFile("ready-0");
  waitForFile("ready-1");
  ASSERT_TRUE(requestStop(agent_, processStartTicks(agent_)).ok());
  EXPECT_EQ(waitForAgent(), 130);
  EXPECT_TRUE(logHas(R"("status":"stopped")"));
  EXPECT_FALSE(logHas("failure"));
  expectNobodyLeft();
}

TEST_F(AgentStop, ASecondSignalEndsRanksThatAreDeafToTheFirst) {
  scripts({"ignore 15\npid\ntouch ready-0\nsleep 60000"});
  start();
  waitForFile("ready-0");
  ::kill(agent_, SIGINT);
  ::usleep(1'500'000);  // longer than the grace time: a checkpoint may take as long as it needs
  EXPECT_NE(processStartTicks(agent_), 0);
  ::kill(agent_, SIGINT);
  EXPECT_EQ(waitForAgent(), 130);
  EXPECT_TRUE(logHas("before all ranks had written a checkpoint"));
  expectNobodyLeft();
}

TEST_F(AgentStop, ARankThatFailsWhileStoppingIsAFailure) {
  scripts({"on_term 3\ntouch ready-0\nsleep 60000"});
  start();
  waitForFile("ready-0");
  ::kill(agent_, SIGTERM);
  EXPECT_EQ(waitForAgent(), 3);
  EXPECT_TRUE(logHas(R"("status":"failed")"));
}

TEST_F(AgentStop, RanksDieWithAnAgentThatIsKilled) {
  scripts({"ignore 15\npid\ntouch ready-0\nsleep 60000", "ignore 15\npid\ntouch ready-1\nsleep 60000"});
  start();
  waitForFile("ready-0");
  waitForFile("ready-1");
  ::kill(agent_, SIGKILL);
  EXPECT_EQ(waitForAgent(), -SIGKILL);
  for (int i = 0; i < 200; ++i) {
    std::istringstream pids(text("pids"));
    bool isAnyLeft = false;
    for (int64_t pid; pids >> pid;) isAnyLeft = isAnyLeft || processStartTicks(pid) != 0;
    if (!isAnyLeft) break;
    ::usleep(10'000);
  }
  expectNobodyLeft();
}

TEST(ProcessIdentity, TellsAProcessFromAnotherWithItsPid) {
  const auto ticks = processStartTicks(::getpid());
  EXPECT_GT(ticks, 0);
  EXPECT_TRUE(isSameProcess(::getpid(), ticks));
  EXPECT_FALSE(isSameProcess(::getpid(), ticks + 1));
  EXPECT_FALSE(isSameProcess(0, 0));
  const auto status = requestStop(::getpid(), ticks + 1);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, ErrorCode::NotFound);
}

TEST(ProcessIdentity, AZombieIsGone) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  siginfo_t info{};
  ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT), 0);
  EXPECT_EQ(processStartTicks(child), 0);
  ::waitpid(child, nullptr, 0);
}

}  // namespace
}  // namespace tidemark::launch
