// Sweeps from their file to their end, with ranks that are played by a fake worker.
#include <gmock/gmock.h>
#include <unistd.h>

#include <csignal>

#include "core/run/event.h"
#include "tests/app/cli_run.h"

namespace tidemark::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

class CliSweep : public CliTest {
 protected:
  // A sweep over r = 2, 4, 8 by the mean loss.
  std::string sweepFile(const std::string& more = "", const std::string& keys = "peft.r: [2, 4, 8]") {
    config();
    write(folder_ / "sweep.yaml", "name: ranks\nbase: config.yaml\nobjective: loss\nkeys: {" + keys + "}\n" + more);
    return (folder_ / "sweep.yaml").string();
  }
  static std::string lossLine(int64_t step, double loss) {
    run::StepEvent event;
    event.step = step;
    event.loss = loss;
    event.tokens = 100;
    event.seconds = 0.5;
    return "event " + run::toJsonLine(run::makeEvent(0, event)) + "\n";
  }
  static std::string given(const std::string& text, const std::string& command) { return "given " + text + " | " + command; }
  // Of the last object told of each point.
  static std::map<int, Json> lastOf(const std::vector<Json>& lines) {
    std::map<int, Json> points;
    for (const Json& line : lines)
      if (line["event"] == "point") points[line["point"].get<int>()] = line;
    return points;
  }
  std::string firstRunDirectory() {
    for (const Json& run : cli({"runs", "--json"}).lines()) return run["directory"].get<std::string>();
    return {};
  }
};

TEST_F(CliSweep, EveryPointRunsAndTheBestIsNamed) {
  scripts({given("r: 2", lossLine(3, 3)) + given("r: 4", lossLine(3, 1)) + given("r: 8", lossLine(3, 2)), ""});
  const auto outcome = cli({"sweep", sweepFile(), "--json"});
  ASSERT_EQ(outcome.exitCode, 0) << outcome.err;
  const auto lines = outcome.lines();
  EXPECT_EQ(lines.front()["event"], "sweep");
  EXPECT_EQ(lines.front()["runs"], 3);
  EXPECT_EQ(lines.back()["event"], "sweep_finished");
  EXPECT_EQ(lines.back()["status"], "completed");
  EXPECT_EQ(lines.back()["best"]["point"], 2);
  EXPECT_EQ(lines.back()["best"]["values"]["peft.r"], "4");
  const auto points = lastOf(lines);
  ASSERT_EQ(points.size(), 3u);
  for (const auto& [number, point] : points) EXPECT_EQ(point["state"], "completed") << number;
  EXPECT_DOUBLE_EQ(points.at(3)["loss"].get<double>(), 2);

  const auto run = cli({"show", points.at(2)["run"].get<std::string>(), "--json"}).lines();
  EXPECT_EQ(run[0]["sweep"], lines.front()["sweep"]);
  EXPECT_EQ(run[0]["name"], "ranks 2: r=4");
  EXPECT_EQ(run[0]["hyperparameters"]["peft.r"], "4");
  const auto shown = cli({"sweep", "--show", "ranks"});
  EXPECT_THAT(shown.out, HasSubstr("completed, best"));
  EXPECT_THAT(cli({"sweep", "--list"}).out, HasSubstr("3/3"));
}

TEST_F(CliSweep, WordsTellEachEndAndTheTable) {
  scripts({lossLine(3, 1.5), ""});
  const auto outcome = cli({"sweep", sweepFile()});
  ASSERT_EQ(outcome.exitCode, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("(ranks): 3 runs, 1 at once"));
  EXPECT_THAT(outcome.err, HasSubstr("run 1 (r=2): completed, loss 1.5000 at step 3"));
  EXPECT_THAT(outcome.out, HasSubstr("POINT  r  STATE"));
}

TEST_F(CliSweep, ProblemsOfTheFileStartNothing) {
  const auto outcome = cli({"sweep", sweepFile("seeds: 0\n", "peft.r: [2, many], peft.rr: [1]")});
  EXPECT_EQ(outcome.exitCode, 2);
  EXPECT_THAT(outcome.err, HasSubstr("3 problems"));
  EXPECT_THAT(outcome.err, HasSubstr("did you mean peft.r?"));
  EXPECT_THAT(cli({"sweep", "--list"}).err, HasSubstr("no sweeps yet"));
  EXPECT_EQ(cli({"sweep"}).exitCode, 2) << "one of FILE, --resume, ... is needed";
  EXPECT_EQ(cli({"sweep", "--show", "none"}).exitCode, 2);
}

TEST_F(CliSweep, AFailedAndARefusedPointAreRecordedAndTheSweepGoesOn) {
  scripts({given("r: 2", "exit 4\n") + lossLine(3, 1), given("r: 2", "sleep 60000\n")});
  const auto outcome = cli({"sweep", sweepFile("", "peft.r: [2, 4], dataset.train: [data.jsonl, none.jsonl]"), "--json"});
  ASSERT_EQ(outcome.exitCode, 0) << outcome.err;
  const auto points = lastOf(outcome.lines());
  ASSERT_EQ(points.size(), 4u);
  EXPECT_EQ(points.at(1)["state"], "failed");
  EXPECT_THAT(points.at(1)["reason"].get<std::string>(), Not(testing::IsEmpty()));
  EXPECT_EQ(points.at(2)["state"], "refused");
  EXPECT_THAT(points.at(2)["reason"].get<std::string>(), HasSubstr("none.jsonl"));
  EXPECT_TRUE(points.at(2)["run"].is_null());
  EXPECT_EQ(points.at(3)["state"], "completed");
}

TEST_F(CliSweep, WhatIsClearlyWorseIsStoppedEarlyAndSaysWhy) {
  // The first rung is step 1; r = 8 is the third to come there and the worst.
  scripts({"on_term 130\n" + given("r: 2", lossLine(1, 2)) + given("r: 4", lossLine(1, 1)) + given("r: 8", lossLine(1, 5)) +
               given("r: 8", "sleep 60000\n") + lossLine(3, 1),
           "on_term 130\n" + given("r: 8", "sleep 60000\n")});
  const auto outcome = cli({"sweep", sweepFile("early_stopping: {rule: halving, after: 1}\n"), "--json"});
  ASSERT_EQ(outcome.exitCode, 0) << outcome.err;
  const auto points = lastOf(outcome.lines());
  EXPECT_EQ(points.at(3)["state"], "stopped early");
  EXPECT_THAT(points.at(3)["reason"].get<std::string>(), HasSubstr("number 3 of 3"));
  const auto run = cli({"show", points.at(3)["run"].get<std::string>(), "--json"}).lines();
  EXPECT_EQ(run[0]["status"], "stopped");
  EXPECT_THAT(run[0]["message"].get<std::string>(), HasSubstr("stopped early: at step 1"));
}

TEST_F(CliSweep, AStoppedSweepGoesOnWithoutRepeatingWhatIsDone) {
  scripts({"on_term 130\n" + given("r: 4", lossLine(1, 9)) + given("r: 4", "touch ready\n") + given("r: 4", "sleep 60000\n") + lossLine(3, 1),
           "on_term 130\n" + given("r: 4", "sleep 60000\n")});
  const pid_t pid = startCli({"sweep", sweepFile(), "--json"});
  const auto id = [this] {
    for (int i = 0; i < 1000; ++i, ::usleep(20'000)) {
      const std::string text = read(folder_ / "cli.out");
      if (text.find('\n') != std::string::npos) return parseJson(text.substr(0, text.find('\n')), "stdout").value()["sweep"].get<std::string>();
    }
    return std::string();
  }();
  ASSERT_FALSE(id.empty());
  waitForFile(folder_ / "run" / id / "0002" / "ready");
  ::kill(pid, SIGINT);
  const auto stopped = waitFor(pid);
  EXPECT_EQ(stopped.exitCode, 130) << stopped.err;
  auto points = lastOf(stopped.lines());
  EXPECT_EQ(points.at(1)["state"], "completed");
  EXPECT_EQ(points.at(2)["state"], "stopped");
  EXPECT_EQ(points.count(3), 0u) << "it was not started";
  const auto first = points.at(1)["run"], second = points.at(2)["run"];

  scripts({lossLine(3, 1), ""});
  const auto resumed = cli({"sweep", "--resume", id, "--json"});
  ASSERT_EQ(resumed.exitCode, 0) << resumed.err;
  points = lastOf(resumed.lines());
  EXPECT_EQ(points.at(1)["run"], first);
  EXPECT_EQ(points.at(2)["run"], second) << "the same run, resumed";
  EXPECT_EQ(points.at(2)["state"], "completed");
  EXPECT_EQ(points.at(3)["state"], "completed");
  EXPECT_EQ(cli({"runs", "--json"}).lines().size(), 3u);
}

TEST_F(CliSweep, TwoRunsCanGoAtOnce) {
  // Each waits for the other's mark: one after the other they would wait forever.
  scripts({given("r: 2", "touch ../two\n") + given("r: 2", "await ../four\n") + given("r: 4", "touch ../four\n") + given("r: 4", "await ../two\n") +
               lossLine(3, 1),
           ""});
  const auto outcome = cli({"sweep", sweepFile("at_once: 2\n", "peft.r: [2, 4]"), "--json"});
  ASSERT_EQ(outcome.exitCode, 0) << outcome.err;
  EXPECT_EQ(lastOf(outcome.lines()).size(), 2u);
}

TEST_F(CliSweep, ASweepWhoseAgentWasKilledIsLostAndItsRunStopsAndCanBeResumed) {
  scripts({"on_term 130\ntouch ../../../ready\nsleep 60000", "on_term 130\nsleep 60000"});
  const pid_t pid = startCli({"sweep", sweepFile("", "peft.r: [2]")});
  waitForFile(folder_ / "ready");
  ::kill(pid, SIGKILL);
  EXPECT_EQ(waitFor(pid).exitCode, -SIGKILL);
  EXPECT_THAT(cli({"sweep", "--list"}).out, HasSubstr("lost"));
  for (int i = 0; i < 500 && cli({"runs", "--json"}).lines()[0]["status"] == "running"; ++i) ::usleep(20'000);
  EXPECT_EQ(cli({"runs", "--json"}).lines()[0]["status"], "stopped");
  scripts({lossLine(3, 1), ""});
  const auto resumed = cli({"sweep", "--resume", "ranks", "--json"});
  EXPECT_EQ(resumed.exitCode, 0) << resumed.err;
  EXPECT_EQ(lastOf(resumed.lines()).at(1)["state"], "completed") << resumed.out;
  EXPECT_EQ(cli({"sweep", "--stop", "ranks"}).exitCode, 2) << "it is over";
}

}  // namespace
}  // namespace tidemark::cli
