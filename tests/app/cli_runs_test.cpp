// Which run is meant, and how runs with odd names and places are shown.
#include <gmock/gmock.h>

#include <algorithm>
#include <sstream>

#include "app/cli/table.h"
#include "core/run/event.h"
#include "tests/app/cli_run.h"

namespace tidemark::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kHostile = "wave\nstatus     completed\x1b[31m \xc2\x9b" "2J \xe2\x80\xaetxt.exe";

std::string lineOf(int64_t rank, run::EventBody body) {
  return "event " + run::toJsonLine(run::makeEvent(rank, std::move(body))) + "\n";
}

class CliRuns : public CliTest {
 protected:
  // A completed run "first" with a checkpoint, and a copy of its directory that is imported.
  void runAndCopy() {
    scripts({lineOf(0, run::ModelEvent{"tiny", "safetensors", "llama", 1, 1, 1, 1, 1, 1, "cpu"}) + stepLine(0, 1) +
                 lineOf(0, run::CheckpointEvent{1, (runDirectory_ / "checkpoints" / "step-1").string()}),
             stepLine(1, 1)});
    const auto outcome = cli({"run", config(), "--name", "first"});
    ASSERT_EQ(outcome.exitCode, 0) << outcome.err;
    copy_ = folder_ / "copy";
    std::filesystem::copy(runDirectory_, copy_, std::filesystem::copy_options::recursive);
    ASSERT_EQ(cli({"show", copy_.string()}).exitCode, 0);
  }
  Json shown(const std::string& which) {
    const auto lines = cli({"show", which, "--json"}).lines();
    EXPECT_EQ(lines.size(), 1u);
    return lines.empty() ? Json() : lines[0];
  }
  std::filesystem::path copy_;
};

TEST_F(CliRuns, ANameThatSeveralRunsHaveIsAmbiguous) {
  runAndCopy();
  const std::string original = shown(runDirectory_.string())["run"], copied = shown(copy_.string())["run"];
  ASSERT_NE(original, copied);
  for (const std::vector<std::string>& verb : {std::vector<std::string>{"show", "first"},
                                               {"stop", "first"},
                                               {"resume", "first"},
                                               {"report", "first", "--out", (folder_ / "r.html").string()}}) {
    const auto outcome = cli(verb);
    EXPECT_EQ(outcome.exitCode, 2) << verb[0];
    EXPECT_THAT(outcome.err, AllOf(HasSubstr("is the name of 2 runs"), HasSubstr(original + "  completed  " + runDirectory_.string()),
                                   HasSubstr(copied + "  completed  " + copy_.string())))
        << verb[0];
    EXPECT_THAT(outcome.err, Not(HasSubstr("Mend"))) << verb[0];
  }
  EXPECT_FALSE(std::filesystem::exists(folder_ / "r.html"));
  for (const std::string& way : {original, copied, runDirectory_.string(), copy_.string()})
    EXPECT_EQ(cli({"show", way}).exitCode, 0) << way;
  EXPECT_EQ(cli({"show", "01"}).exitCode, 2) << "the beginning of both ids";
}

TEST_F(CliRuns, ACopyIsShownWithItsOwnFilesAndTheSameModel) {
  runAndCopy();
  const Json original = shown(runDirectory_.string()), copied = shown(copy_.string());
  EXPECT_EQ(original["model"], "tiny");
  EXPECT_EQ(copied["model"], original["model"]);
  const auto words = cli({"show", copy_.string()}).out;
  EXPECT_THAT(words, HasSubstr("checkpoint  step 1  " + (copy_ / "checkpoints" / "step-1").string()));
  EXPECT_THAT(words, Not(HasSubstr((runDirectory_ / "checkpoints").string())));
  EXPECT_THAT(cli({"show", runDirectory_.string()}).out, HasSubstr((runDirectory_ / "checkpoints" / "step-1").string()));
}

TEST_F(CliRuns, AMovedRunDirectoryIsShownWhereItIsNow) {
  runAndCopy();
  std::filesystem::rename(runDirectory_, folder_ / "moved");
  const auto words = cli({"show", (folder_ / "moved").string()}).out;
  EXPECT_THAT(words, HasSubstr((folder_ / "moved" / "checkpoints" / "step-1").string()));
}

TEST_F(CliRuns, NothingInANameReachesTheTerminal) {
  scripts({stepLine(0, 1), stepLine(1, 1)});
  const auto outcome = cli({"run", config(), "--name", kHostile});
  ASSERT_EQ(outcome.exitCode, 0) << outcome.err;
  const auto id = onlyRunId();
  const auto list = cli({"runs"}), facts = cli({"show", id}), missing = cli({"show", std::string("no ") + kHostile});
  for (const std::string& text : {outcome.out, outcome.err, list.out, facts.out, missing.err}) {
    for (const char* code : {"\x1b", "\xc2\x9b", "\xe2\x80\xae", "\nstatus     completed\x1b"}) EXPECT_THAT(text, Not(HasSubstr(code)));
  }
  for (const std::string& text : {outcome.out, list.out, facts.out, missing.err}) EXPECT_THAT(text, HasSubstr("wave status"));
  EXPECT_EQ(std::count(list.out.begin(), list.out.end(), '\n'), 2);
  EXPECT_EQ(cli({"show", kHostile, "--json"}).lines().at(0)["name"], kHostile) << "programs get the name as it is";
}

TEST_F(CliRuns, TheTableStaysAsWideAsAScreen) {
  scripts({stepLine(0, 1), stepLine(1, 1)});
  const std::string name(5000, 'n');
  const auto outcome = cli({"run", config(), "--name", name});
  ASSERT_EQ(outcome.exitCode, 0) << outcome.err;
  for (const auto& text : {outcome.out, cli({"runs"}).out, cli({"show", onlyRunId()}).out}) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);)
      if (line.find("nnn") != std::string::npos) {
        EXPECT_LT(columnsOf(line), 220u);
        EXPECT_THAT(line, HasSubstr("…"));
      }
  }
  EXPECT_EQ(cli({"show", name, "--json"}).exitCode, 0) << "the whole name finds it";
}

TEST_F(CliRuns, AnEmptyNameIsSaidToBeEmpty) {
  for (const char* verb : {"show", "stop", "resume"}) {
    const auto outcome = cli({verb, ""});
    EXPECT_EQ(outcome.exitCode, 2) << verb;
    EXPECT_THAT(outcome.err, HasSubstr("the run's id, name or directory is empty")) << verb;
  }
}

}  // namespace
}  // namespace tidemark::cli
