// What is said after an error: a next step that fits it, and none that does not.
#include <gmock/gmock.h>

#include "core/run/event.h"
#include "tests/app/cli_run.h"

namespace tidemark::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class CliWords : public CliTest {
 protected:
  // Exit code 2, these words, and no step that belongs to another error.
  void expectSaid(const Outcome& outcome, const std::string& what, const std::string& next) {
    EXPECT_EQ(outcome.exitCode, 2) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr(what));
    if (!next.empty()) EXPECT_THAT(outcome.err, HasSubstr("\n  " + next));
    for (const char* other : {"Mend the file", "Wait until it is free", "Check the path or the name", "README.md lists"})
      EXPECT_THAT(outcome.err, Not(HasSubstr(other)));
  }
};

TEST_F(CliWords, AboutRunsThatAreNotWhereTheyShouldBe) {
  scripts({stepLine(0, 3), stepLine(1, 3)});
  ASSERT_EQ(cli({"run", config(), "--name", "done"}).exitCode, 0);
  expectSaid(cli({"stop", "done"}), "it is not running; it is completed", "");
  EXPECT_THAT(cli({"stop", "done"}).err, Not(HasSubstr("resume")));
  expectSaid(cli({"resume", "done"}), "it is completed, with 3 steps of 3", "To train further, start a new run");
  expectSaid(cli({"show", "nobody"}), "there is no such run: nobody", "");
}

TEST_F(CliWords, AboutARunThatIsStillRunning) {
  scripts({"on_term 130\ntouch ready-0\nsleep 60000", "on_term 130\ntouch ready-1\nsleep 60000"});
  const pid_t pid = startCli({"run", config(), "--name", "busy"});
  waitForFile(runDirectory_ / "ready-0");
  waitForFile(runDirectory_ / "ready-1");
  std::filesystem::rename(folder_ / "cli.err", folder_ / "run.err");
  std::filesystem::rename(folder_ / "cli.out", folder_ / "run.out");
  expectSaid(cli({"resume", "busy"}), "it is running already", "`tidemark-cli stop ");
  const pid_t stopper = startCli({"stop", "busy", "--wait"});
  EXPECT_EQ(waitFor(pid).exitCode, 130);
  EXPECT_EQ(waitFor(stopper).exitCode, 0);
  expectSaid(cli({"stop", "busy"}), "it is not running; it is stopped", "`tidemark-cli resume ");
}

TEST_F(CliWords, AboutFoldersWhereFilesAreWanted) {
  const auto folder = folder_.string();
  expectSaid(cli({"run", folder}), "is a folder", "A configuration is a YAML or JSON file");
  expectSaid(cli({"run", "no.yaml"}), "no.yaml", "Check the path of the configuration.");
  expectSaid(cli({"run", config(), "--set", "dataset.train=" + folder}), "is a folder; give a file", "");
  EXPECT_THAT(cli({"run", config(), "--set", "dataset.train=" + folder}).err, Not(HasSubstr("Mend")));
  expectSaid(cli({"run", config(), "--set", "dataset.train=no.jsonl"}), "no.jsonl", "Check the path of the dataset.");
  expectSaid(cli({"inspect", "data", folder, "--model", model_.string()}), "is a folder; give a file", "");
}

TEST_F(CliWords, AboutModelsAndAdapters) {
  expectSaid(cli({"inspect", "model", "no/such"}), "no/such", "A model is a GGUF file");
  write(folder_ / "odd.gguf", "not one");
  expectSaid(cli({"inspect", "model", (folder_ / "odd.gguf").string()}), "odd.gguf", "If the file is damaged");
  expectSaid(cli({"inspect", "adapter", folder_.string()}), "adapter_config.json", "An adapter is a directory");
}

TEST_F(CliWords, AboutReports) {
  scripts({stepLine(0, 1), stepLine(1, 1)});
  ASSERT_EQ(cli({"run", config(), "--name", "told"}).exitCode, 0);
  const auto suffix = cli({"report", "told", "--out", (folder_ / "a.txt").string()});
  expectSaid(suffix, "the suffix must be .html, .pdf, .csv or .json", "");
  const auto target = (folder_ / "nowhere" / "x.html").string();
  const auto folder = cli({"report", "told", "--out", target});
  expectSaid(folder, target + ": ", "Check that the folder exists.");
  EXPECT_THAT(folder.err, Not(HasSubstr(".tmp")));
}

TEST_F(CliWords, AboutDatabases) {
  write(folder_ / "other.db", std::string(8192, 'x'));
  expectSaid(cli({"runs", "--db", (folder_ / "other.db").string()}), "other.db", "Another file can be given with --db.");
}

TEST_F(CliWords, AboutAFailedRunOnlyWhatItsCauseAsksFor) {
  const auto failure = [](const char* code, const char* message) {
    return "event " + run::toJsonLine(run::makeEvent(0, run::FailureEvent{code, message}));
  };
  scripts({failure("out_of_memory", "the device has no memory left: lower memory.budget") + "\nexit 4", "sleep 60000"});
  const auto full = cli({"run", config()});
  EXPECT_EQ(full.exitCode, 4);
  EXPECT_THAT(full.err, AllOf(HasSubstr("lower memory.budget"), Not(HasSubstr("Raise memory.budget"))));
}

TEST_F(CliWords, OneOfAThingIsSingular) {
  scripts({stepLine(0, 1)});
  const auto outcome = cli({"run", config("parallel: {ranks: 1}\n"), "--name", "single"});
  ASSERT_EQ(outcome.exitCode, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("starts with 1 rank in"));
  EXPECT_THAT(cli({"show", "single"}).out, HasSubstr("elastic, 1 rank\n"));
}

}  // namespace
}  // namespace tidemark::cli
