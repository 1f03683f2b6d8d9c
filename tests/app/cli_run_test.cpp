// Runs from their start to their end, with ranks that are played by a fake worker.
#include <gmock/gmock.h>
#include <sqlite3.h>
#include <unistd.h>

#include <csignal>

#include "tests/app/cli_run.h"

namespace tidemark::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

class CliRun : public CliTest {};

TEST_F(CliRun, ACompletedRunIsInTheDatabaseAndHasItsReports) {
  scripts({stepLine(0, 1) + stepLine(0, 2) + stepLine(0, 3), stepLine(1, 1) + stepLine(1, 2) + stepLine(1, 3)});
  const auto outcome = cli({"run", config(), "--name", "first"});
  ASSERT_EQ(outcome.exitCode, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("step 3/3  loss 0.6667  200 tok/s  remote 4.00 KiB/iter  peak 1.00 MiB"));
  EXPECT_THAT(outcome.out, HasSubstr("status     completed"));
  EXPECT_THAT(outcome.out, HasSubstr((runDirectory_ / "report" / "report.html").string()));
  for (const char* name : {"config.yaml", "data.bin", "events.jsonl", "log/rank-0.log", "log/rank-1.log",
                           "report/report.html", "report/report.json", "report/report.csv"}) {
    EXPECT_TRUE(std::filesystem::exists(runDirectory_ / name)) << name;
  }
  const auto resolved = read(runDirectory_ / "config.yaml");
  EXPECT_THAT(resolved, HasSubstr("model: " + model_.string()));
  EXPECT_THAT(resolved, HasSubstr("train: " + (folder_ / "data.jsonl").string()));
  EXPECT_THAT(resolved, HasSubstr("dir: " + runDirectory_.string()));

  const auto shown = cli({"show", "first", "--json"}).lines();
  ASSERT_EQ(shown.size(), 1u);
  EXPECT_EQ(shown[0]["status"], "completed");
  EXPECT_EQ(shown[0]["step"], 3);
  EXPECT_EQ(shown[0]["exit_code"], 0);
  EXPECT_EQ(shown[0]["hyperparameters"]["training.max_steps"], "3");
  EXPECT_THAT(cli({"show", "first"}).out, HasSubstr("completed"));
  EXPECT_THAT(cli({"runs"}).out, HasSubstr("first"));
}

TEST_F(CliRun, ProgramsGetEveryEventAndTheEndLast) {
  scripts({stepLine(0, 1), stepLine(1, 1)});
  const auto outcome = cli({"run", config(), "--json"});
  ASSERT_EQ(outcome.exitCode, 0) << outcome.err;
  const auto lines = outcome.lines();
  ASSERT_EQ(lines.size(), 5u);
  EXPECT_EQ(lines.front()["event"], "started");
  EXPECT_EQ(lines[1]["event"], "dataset");
  EXPECT_EQ(lines[1]["train_rows"], 2);
  EXPECT_EQ(lines.back()["event"], "finished");
  EXPECT_EQ(lines.back()["status"], "completed");
  EXPECT_EQ(outcome.out, read(runDirectory_ / "events.jsonl"));
}

TEST_F(CliRun, ALostRankGivesItsExitCodeAndItsLog) {
  scripts({"sleep 60000", "log segment not found\nkill 11\nsleep 60000"});
  const auto outcome = cli({"run", config(), "--name", "lost"});
  EXPECT_EQ(outcome.exitCode, 5);
  EXPECT_THAT(outcome.err, HasSubstr("rank 1 was killed by SIGSEGV"));
  EXPECT_THAT(outcome.err, HasSubstr("segment not found"));
  const auto shown = cli({"show", "lost", "--json"}).lines();
  EXPECT_EQ(shown[0]["status"], "failed");
  EXPECT_THAT(shown[0]["message"].get<std::string>(), HasSubstr("SIGSEGV"));
}

// The global batch stays as it was, so the run goes on by itself, and says so.
TEST_F(CliRun, OutOfMemoryGoesOnWithSmallerMicroBatches) {
  const std::string rank = "environment\nexit_unless 4 micro_batch_size: 1\n";
  scripts({"exit_unless 9 max_steps: 3\n" + rank + stepLine(0, 1), rank + stepLine(1, 1)});
  const auto outcome = cli({"run", config(), "--name", "halved", "--set", "training.global_batch_size=12", "--set", "training.micro_batch_size=6"});
  ASSERT_EQ(outcome.exitCode, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("micro-batches of 6 sequences do not fit in memory: the run goes on from its last checkpoint with 3 at a time"));
  EXPECT_THAT(outcome.err, HasSubstr("micro-batches of 3 sequences do not fit in memory: the run goes on from its last checkpoint with 1 at a time"));
  const auto resolved = read(runDirectory_ / "config.yaml");
  EXPECT_THAT(resolved, HasSubstr("micro_batch_size: 1\n"));
  EXPECT_THAT(resolved, HasSubstr("global_batch_size: 12\n"));
  EXPECT_THAT(read(runDirectory_ / "environment-1"), HasSubstr("TIDEMARK_RESUME=1"));
  const auto shown = cli({"show", "halved", "--json"}).lines();
  EXPECT_EQ(shown[0]["status"], "completed");
}

TEST_F(CliRun, OutOfMemoryWithOneSequenceAtATimeEndsTheRun) {
  scripts({"exit 4", "exit 4"});
  const auto outcome = cli({"run", config(), "--name", "small", "--set", "training.micro_batch_size=1"});
  EXPECT_EQ(outcome.exitCode, 4) << outcome.err;
  EXPECT_THAT(outcome.err, Not(HasSubstr("at a time")));
  EXPECT_EQ(cli({"show", "small", "--json"}).lines()[0]["status"], "failed");
}

TEST_F(CliRun, StopWritesACheckpointAndResumeGoesOn) {
  scripts({"on_term 130\ntouch ready-0\nsleep 60000", "on_term 130\ntouch ready-1\nsleep 60000"});
  const pid_t pid = startCli({"run", config(), "--name", "stopped"});
  waitForFile(runDirectory_ / "ready-0");
  waitForFile(runDirectory_ / "ready-1");
  std::filesystem::rename(folder_ / "cli.err", folder_ / "run.err");  // the running one keeps writing there
  std::filesystem::rename(folder_ / "cli.out", folder_ / "run.out");
  const auto busy = cli({"resume", "stopped"});
  EXPECT_EQ(busy.exitCode, 2);
  EXPECT_THAT(busy.err, HasSubstr("running already"));
  const pid_t stopper = startCli({"stop", "stopped", "--wait"});
  EXPECT_EQ(waitFor(pid).exitCode, 130);
  EXPECT_EQ(waitFor(stopper).exitCode, 0);
  EXPECT_EQ(cli({"show", "stopped", "--json"}).lines()[0]["status"], "stopped");
  EXPECT_EQ(cli({"stop", "stopped"}).exitCode, 2);

  scripts({"environment\n" + stepLine(0, 3), stepLine(1, 3)});
  const auto resumed = cli({"resume", "stopped"});
  EXPECT_EQ(resumed.exitCode, 0) << resumed.err;
  EXPECT_THAT(read(runDirectory_ / "environment-0"), HasSubstr("TIDEMARK_RESUME=1"));
  EXPECT_EQ(cli({"show", "stopped", "--json"}).lines()[0]["status"], "completed");
  EXPECT_EQ(cli({"resume", "stopped"}).exitCode, 2);
}

TEST_F(CliRun, ARunWhoseAgentWasKilledIsShownAsLostAndCanBeResumed) {
  scripts({"ignore 15\ntouch ready-0\nsleep 60000", "sleep 60000"});
  const pid_t pid = startCli({"run", config()});
  waitForFile(runDirectory_ / "ready-0");
  ::kill(pid, SIGKILL);
  EXPECT_EQ(waitFor(pid).exitCode, -SIGKILL);
  EXPECT_EQ(cli({"runs", "--json"}).lines()[0]["status"], "lost");
  scripts({"", ""});
  EXPECT_EQ(cli({"resume", onlyRunId()}).exitCode, 0);
}

TEST_F(CliRun, ABrokenDatabaseDoesNotHinderTheRunAndItIsImportedLater) {
  std::filesystem::create_directories(folder_ / "share" / "tidemark");
  write(folder_ / "share" / "tidemark" / "tidemark.db", std::string(8192, 'x'));
  scripts({stepLine(0, 1), stepLine(1, 1)});
  const auto outcome = cli({"run", config(), "--name", "elsewhere"});
  EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("the database cannot be used"));
  EXPECT_TRUE(std::filesystem::exists(runDirectory_ / "report" / "report.html"));
  const auto shown = cli({"show", runDirectory_.string(), "--db", (folder_ / "other.db").string(), "--json"});
  ASSERT_EQ(shown.lines().size(), 1u) << shown.err;
  EXPECT_EQ(shown.lines()[0]["status"], "completed");
  EXPECT_EQ(shown.lines()[0]["name"], "elsewhere");
  EXPECT_EQ(shown.lines()[0]["step"], 1);
}

TEST_F(CliRun, ALockedDatabaseGetsTheEventsLater) {
  EXPECT_EQ(cli({"runs"}).exitCode, 0);  // creates the database
  scripts({stepLine(0, 1) + "touch ready-0\nsleep 1500\n" + stepLine(0, 2), "sleep 100"});
  const pid_t pid = startCli({"run", config(), "--name", "patient"});
  waitForFile(runDirectory_ / "ready-0");
  sqlite3* other = nullptr;
  ASSERT_EQ(sqlite3_open((folder_ / "share" / "tidemark" / "tidemark.db").c_str(), &other), SQLITE_OK);
  sqlite3_busy_timeout(other, 5000);
  ASSERT_EQ(sqlite3_exec(other, "BEGIN EXCLUSIVE", nullptr, nullptr, nullptr), SQLITE_OK);
  const auto outcome = waitFor(pid);  // ends although the lock is still held
  EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("the database"));
  sqlite3_exec(other, "ROLLBACK", nullptr, nullptr, nullptr);
  sqlite3_close(other);
  const auto shown = cli({"show", "patient", "--json"}).lines();
  ASSERT_EQ(shown.size(), 1u);
  EXPECT_EQ(shown[0]["status"], "completed");
  EXPECT_EQ(shown[0]["step"], 2);
}

TEST_F(CliRun, ReportsAreWrittenWhereTheyAreWanted) {
  scripts({stepLine(0, 1), stepLine(1, 1)});
  ASSERT_EQ(cli({"run", config(), "--name", "told"}).exitCode, 0);
  for (const char* name : {"a.html", "a.csv", "a.json"}) {
    EXPECT_EQ(cli({"report", "told", "--out", (folder_ / name).string()}).exitCode, 0);
    EXPECT_THAT(read(folder_ / name), HasSubstr("told"));
  }
  const auto pdf = cli({"report", "told", "--out", (folder_ / "a.pdf").string()});
  EXPECT_EQ(pdf.exitCode, 2);
  EXPECT_THAT(pdf.err, HasSubstr("PDF and plots are drawn by the workbench"));
  EXPECT_EQ(cli({"report", "told", "--out", (folder_ / "a.txt").string()}).exitCode, 2);
}

TEST_F(CliRun, PdfIsHandedToTheWorkbench) {
  write(folder_ / "bin" / "tidemark", "#!/bin/sh\necho \"$@\"\n");
  std::filesystem::permissions(folder_ / "bin" / "tidemark", std::filesystem::perms::owner_all);
  EXPECT_EQ(cli({"report", "R", "--out", "a.pdf", "--db", "D"}).out, "--report R --out a.pdf --db D\n");
  EXPECT_EQ(cli({"report", "R", "S", "--plots", "P"}).out, "--report R --report S --plots P\n");
  EXPECT_EQ(cli({"report", "R"}).exitCode, 2);
}

TEST_F(CliRun, EngineVerbsPassTheirArgumentsOn) {
  write(folder_ / "bin" / "engine", "#!/bin/sh\necho \"$@\"\nexit 3\n");
  std::filesystem::permissions(folder_ / "bin" / "engine", std::filesystem::perms::owner_all);
  std::filesystem::rename(folder_ / "bin" / "engine", folder_ / "bin" / "tidemark-worker");
  const auto outcome = cli({"score", "--model", "m", "--tokens", "1 2 3", "--json"});
  EXPECT_EQ(outcome.out, "score --model m --tokens 1 2 3 --json\n");
  EXPECT_EQ(outcome.exitCode, 3);
  EXPECT_EQ(cli({"generate", "--help"}).out, "generate --help\n");
}

}  // namespace
}  // namespace tidemark::cli
