#include "core/launch/agent.h"

#include <gmock/gmock.h>
#include <sys/file.h>
#include <fcntl.h>
#include <sys/wait.h>

#include "tests/launch/agent_run.h"

namespace tidemark::launch {
namespace {

using testing::HasSubstr;
using testing::Not;

class Agent : public AgentRun {};

TEST_F(Agent, RunsEveryRankToItsEndAndWritesEachEventOnce) {
  scripts({"event " + stepLine(1) + "\nevent " + stepLine(2) + "\nexit 0", "event " + stepLine(1) + "\nexit 0"});
  EXPECT_EQ(exitCode(), 0);
  EXPECT_EQ(eventsOf<run::StartedEvent>().size(), 1u);
  EXPECT_EQ(eventsOf<run::StepEvent>().size(), 3u);
  ASSERT_EQ(eventsOf<run::FinishedEvent>().size(), 1u);
  EXPECT_EQ(eventsOf<run::FinishedEvent>()[0].status, "completed");
  EXPECT_EQ(eventsOf<run::FinishedEvent>()[0].adapter, "");
  EXPECT_TRUE(std::holds_alternative<run::FinishedEvent>(events_.back().body));

  std::istringstream file(text("events.jsonl"));
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  ASSERT_EQ(lines.size(), events_.size());
  for (size_t i = 0; i < lines.size(); ++i) EXPECT_EQ(lines[i], run::toJsonLine(events_[i]));
  for (const auto& event : events_) EXPECT_LT(event.rank, 2);
}

TEST_F(Agent, GivesEachRankItsEnvironment) {
  settings_.config.parallel.threadsPerRank = 3;
  scripts({"environment", "environment"});
  EXPECT_EQ(exitCode(), 0);
  const auto second = text("environment-1");
  for (const char* line : {"\nLOCAL_RANK=1\n", "\nWORLD_SIZE=2\n", "\nLOCAL_WORLD_SIZE=2\n", "\nMASTER_ADDR=127.0.0.1\n",
                           "\nOMP_NUM_THREADS=3\n", "\nTIDEMARK_EVENT_FD=3\n", "\nTIDEMARK_RESUME=(unset)\n"}) {
    EXPECT_THAT(second, HasSubstr(line));
  }
  EXPECT_THAT(second, HasSubstr("TIDEMARK_RUN_DIR=" + directory_.string()));
  EXPECT_THAT(second, Not(HasSubstr("PATH=(unset)")));
  const auto port = [&](const std::string& all) { return all.substr(all.find("MASTER_PORT="), 20); };
  EXPECT_EQ(port(second), port(text("environment-0")));
}

TEST_F(Agent, ReportsTheAdapterOnlyWhenItIsComplete) {
  std::filesystem::create_directory(directory_ / "adapter");
  scripts({"touch adapter/adapter_config.json"});
  EXPECT_EQ(exitCode(), 0);
  EXPECT_EQ(eventsOf<run::FinishedEvent>()[0].adapter, "");
  scripts({"touch adapter/adapter_model.safetensors"});
  EXPECT_EQ(exitCode(), 0);
  EXPECT_EQ(eventsOf<run::FinishedEvent>()[0].adapter, (directory_ / "adapter").string());
}

TEST_F(Agent, ARankKilledBySignalEndsTheOthersAndIsNamedWithItsLastLogLines) {
  scripts({"pid\nsleep 60000", "pid\nlog first\nlog about to crash\nsleep 100\nkill 11\nsleep 60000"});
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(exitCode(), 5);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
  ASSERT_EQ(eventsOf<run::FailureEvent>().size(), 1u);
  const auto failure = eventsOf<run::FailureEvent>()[0];
  EXPECT_EQ(failure.code, "rank_lost");
  EXPECT_THAT(failure.message, HasSubstr("rank 1 was killed by SIGSEGV"));
  EXPECT_THAT(failure.message, HasSubstr("first\nabout to crash"));
  EXPECT_EQ(eventsOf<run::FinishedEvent>()[0].status, "failed");
  EXPECT_EQ(eventsOf<run::FinishedEvent>()[0].exitCode, 5);
  expectNobodyLeft();
}

TEST_F(Agent, ARankThatIgnoresSigtermIsKilledAfterTheGraceTime) {
  scripts({"ignore 15\npid\ntouch ready\nsleep 60000", "pid\nsleep 500\nexit 1"});
  EXPECT_EQ(exitCode(), 5);
  EXPECT_THAT(eventsOf<run::FailureEvent>().back().message, HasSubstr("rank 1 ended with exit code 1"));
  expectNobodyLeft();
}

TEST_F(Agent, TakesTheRanksOwnWordForExitCodesItKnows) {
  const auto failure = [](const char* code, const char* message) {
    return "event " + run::toJsonLine(run::makeEvent(0, run::FailureEvent{code, message}));
  };
  scripts({failure("out_of_memory", "budget too small") + "\nexit 4", "sleep 60000"});
  EXPECT_EQ(exitCode(), 4);
  ASSERT_EQ(eventsOf<run::FailureEvent>().size(), 1u);
  EXPECT_EQ(eventsOf<run::FailureEvent>()[0].message, "budget too small");

  scripts({failure("failed", "loss is not finite") + "\nexit 3", "sleep 60000"});
  EXPECT_EQ(exitCode(), 3);
  scripts({failure("invalid_input", "bad data") + "\nexit 2", "sleep 60000"});
  EXPECT_EQ(exitCode(), 2);
}

TEST_F(Agent, AKnownExitCodeWithoutAWordGetsOneWithTheLog) {
  scripts({"log what happened\nexit 3"});
  EXPECT_EQ(exitCode(), 3);
  ASSERT_EQ(eventsOf<run::FailureEvent>().size(), 1u);
  EXPECT_EQ(eventsOf<run::FailureEvent>()[0].code, "failed");
  EXPECT_THAT(eventsOf<run::FailureEvent>()[0].message, HasSubstr("what happened"));
}

TEST_F(Agent, OnlyTheCauseIsTheFailureAndAPeersComplaintIsLogged) {
  const auto cause = run::toJsonLine(run::makeEvent(1, run::FailureEvent{"out_of_memory", "no room"}));
  const auto consequence = run::toJsonLine(run::makeEvent(0, run::FailureEvent{"failed", "peer is gone"}));
  scripts({"sleep 500\nevent " + consequence + "\nexit 3", "ignore 15\nsleep 1000\nevent " + cause + "\nexit 4"});
  settings_.graceSeconds = 20;
  EXPECT_EQ(exitCode(), 4);
  ASSERT_EQ(eventsOf<run::FailureEvent>().size(), 1u);
  EXPECT_EQ(eventsOf<run::FailureEvent>()[0].message, "no room");
  EXPECT_EQ(eventsOf<run::FailureEvent>()[0].code, "out_of_memory");
  ASSERT_EQ(eventsOf<run::LogEvent>().size(), 1u);
  EXPECT_EQ(eventsOf<run::LogEvent>()[0].text, "rank 0: peer is gone");
}

TEST_F(Agent, RanksThatLostOneAnotherSpeakForThemselves) {
  const auto lost = "event " + run::toJsonLine(run::makeEvent(0, run::FailureEvent{"rank_lost", "a connection was lost"}));
  // Neither ends before both have told, and neither is ended before it has.
  scripts({"ignore 15\nlog raw text of the transport\n" + lost + "\ntouch told-0\nawait told-1\nexit 5",
           "ignore 15\n" + lost + "\ntouch told-1\nawait told-0\nexit 5"});
  EXPECT_EQ(exitCode(), 5);
  ASSERT_EQ(eventsOf<run::FailureEvent>().size(), 1u);
  EXPECT_EQ(eventsOf<run::FailureEvent>()[0].message, "a connection was lost");
  ASSERT_EQ(eventsOf<run::LogEvent>().size(), 1u);
  EXPECT_THAT(eventsOf<run::LogEvent>()[0].text, testing::MatchesRegex("rank [01]: a connection was lost"));
  EXPECT_THAT(text("log/rank-0.log"), HasSubstr("raw text of the transport"));
}

TEST_F(Agent, LeavesNoGrandchildBehind) {
  scripts({"fork\nfork_away\npid\nexit 0", "fork_away\npid\nexit 0"});
  EXPECT_EQ(exitCode(), 0);
  expectNobodyLeft();
}

TEST_F(Agent, JoinsPartsOfALineAndSaysWhichLinesItLeftOut) {
  const auto line = stepLine(4);
  scripts({"raw " + line.substr(0, 20) + "\nsleep 300\nraw " + line.substr(20) + "\nevent \nevent not json\nraw " + stepLine(5)});
  EXPECT_EQ(exitCode(), 0);
  ASSERT_EQ(eventsOf<run::StepEvent>().size(), 2u);
  EXPECT_EQ(eventsOf<run::StepEvent>()[1].step, 5);
  ASSERT_EQ(eventsOf<run::LogEvent>().size(), 1u);
  EXPECT_EQ(eventsOf<run::LogEvent>()[0].level, "warning");
  EXPECT_THAT(eventsOf<run::LogEvent>()[0].text, HasSubstr("not json"));
}

TEST_F(Agent, OnlyTheAgentMaySayThatTheRunIsFinished) {
  scripts({"event " + run::toJsonLine(run::makeEvent(0, run::FinishedEvent{"x", "completed", "", 0})) + "\nexit 3"});
  EXPECT_EQ(exitCode(), 3);
  ASSERT_EQ(eventsOf<run::FinishedEvent>().size(), 1u);
  EXPECT_EQ(eventsOf<run::FinishedEvent>()[0].status, "failed");
}

TEST_F(Agent, ContinuesTheNumberingAndCutsAHalfLineOnResume) {
  scripts({"event " + stepLine(1)});
  EXPECT_EQ(exitCode(), 0);
  const auto before = static_cast<int64_t>(events_.size());
  std::ofstream(directory_ / "events.jsonl", std::ios::app) << R"({"event":"step","ra)";
  settings_.isResume = true;
  scripts({"environment\nevent " + stepLine(2)});
  EXPECT_EQ(exitCode(), 0);
  EXPECT_EQ(firstNumber_, before);
  EXPECT_TRUE(eventsOf<run::StartedEvent>()[0].isResumed);
  EXPECT_THAT(text("environment-0"), HasSubstr("TIDEMARK_RESUME=1"));
  std::istringstream file(text("events.jsonl"));
  for (std::string line; std::getline(file, line);) EXPECT_TRUE(run::parseEvent(line).ok()) << line;
}

TEST_F(Agent, CompletesALastLineThatLacksOnlyItsNewline) {
  std::ofstream(directory_ / "events.jsonl") << stepLine(1);
  scripts({"exit 0"});
  EXPECT_EQ(exitCode(), 0);
  EXPECT_EQ(firstNumber_, 1);
}

TEST_F(Agent, RefusesADirectoryThatAnotherAgentHolds) {
  const int handle = ::open((directory_ / "agent.lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  ASSERT_EQ(::flock(handle, LOCK_EX | LOCK_NB), 0);
  scripts({"exit 0"});
  const auto result = supervise();
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code, ErrorCode::Busy);
  EXPECT_FALSE(std::filesystem::exists(directory_ / "events.jsonl"));
  ::close(handle);
}

TEST_F(Agent, RefusesAWorkerThatIsNotThere) {
  settings_.worker = directory_ / "no-such-worker";
  scripts({"exit 0"});
  const auto result = supervise();
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code, ErrorCode::NotFound);
}

TEST_F(Agent, EndsAsFailedWhenTheWorkerIsNoProgram) {
  settings_.worker = directory_ / "text";
  std::ofstream(settings_.worker) << "neither script nor binary";
  std::filesystem::permissions(settings_.worker, std::filesystem::perms::owner_all);
  scripts({"exit 0", "exit 0"});
  ASSERT_FALSE(supervise().ok());
  ASSERT_EQ(eventsOf<run::FinishedEvent>().size(), 1u);
  EXPECT_EQ(eventsOf<run::FinishedEvent>()[0].status, "failed");
  EXPECT_THAT(eventsOf<run::FailureEvent>()[0].message, HasSubstr("starting rank 0"));
}

TEST_F(Agent, ARankThatHangsWhenTheOthersAreDoneIsEnded) {
  scripts({"exit 0", "ignore 15\npid\nsleep 60000"});
  EXPECT_EQ(exitCode(), 5);
  EXPECT_THAT(eventsOf<run::FailureEvent>()[0].message, HasSubstr("rank 1 did not end"));
  expectNobodyLeft();
}

}  // namespace
}  // namespace tidemark::launch
