// plan, score, generate, eval and a run with lost ranks through the real worker, with a small real model.
#include <gmock/gmock.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

#include "tests/app/cli_run.h"

namespace tidemark::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

class EngineCommands : public CliTest {
 protected:
  void SetUp() override {
    CliTest::SetUp();
    std::filesystem::remove(folder_ / "bin" / "tidemark-worker");
    std::filesystem::create_symlink(TIDEMARK_WORKER, folder_ / "bin" / "tidemark-worker");
    ::setenv("TMPDIR", folder_.c_str(), 1);
  }
  void TearDown() override {
    ::unsetenv("TMPDIR");
    CliTest::TearDown();
  }
  Outcome score(const std::vector<std::string>& arguments) {
    std::vector<std::string> all{"score", "--model", model_.string()};
    all.insert(all.end(), arguments.begin(), arguments.end());
    return cli(all);
  }
  void expectRefused(const Outcome& outcome, const std::string& what) {
    EXPECT_EQ(outcome.exitCode, 2) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr("error: " + what));
    EXPECT_EQ(outcome.out, "");
  }
  std::map<std::string, Json> plan(const std::string& budget, int64_t ranks) {
    const auto path = config("parallel: {device: cpu, ranks: " + std::to_string(ranks) + "}\n");
    const auto outcome = cli({"plan", path, "--json", "--set", "memory.budget=" + budget,
                              "--set", "training.global_batch_size=" + std::to_string(ranks), "--set", "dataset.max_seq_length=24",
                              "--vary", "memory.activations=save", "--vary", "memory.weights=float32",
                              "--vary", "memory.policy=elastic,pinned,gather-always,unsharded", "--vary", "training.micro_batch_size=1"});
    EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
    std::map<std::string, Json> rows;
    for (const auto& line : outcome.lines()) rows[line["event"] == "choice" ? line["policy"] : line["event"]] = line;
    return rows;
  }
  // The process of one rank; 0: there is none.
  pid_t rankProcess(int64_t rank) const {
    const std::string wanted = "RANK=" + std::to_string(rank), directory = "TIDEMARK_RUN_DIR=" + runDirectory_.string();
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator("/proc", ignored)) {
      std::ifstream file(entry.path() / "environ");
      bool isRank = false, isHere = false;
      for (std::string variable; std::getline(file, variable, '\0');) {
        isRank = isRank || variable == wanted;
        isHere = isHere || variable == directory;
      }
      if (isRank && isHere) return static_cast<pid_t>(std::stol(entry.path().filename().string()));
    }
    return 0;
  }
};

TEST_F(EngineCommands, AScoreWithNothingToScoreSaysSo) {
  expectRefused(score({}), "there is nothing to score: give --text T or --tokens");
  expectRefused(score({"--text", ""}), "there is nothing to score: --text: is empty");
  expectRefused(score({"--tokens", ""}), "there is nothing to score: --tokens: is empty");
  expectRefused(score({"--tokens", "1"}), "there is nothing to score: --tokens: is 1 token; at least two are needed");
  expectRefused(score({"--tokens", "1 x"}), "there is nothing to score: --tokens: \"x\" is not a token id");
  const auto one = score({"--tokens", "1 2"});
  EXPECT_EQ(one.exitCode, 0) << one.err;
  EXPECT_THAT(one.out, HasSubstr("\n1 token, log-probability"));
}

TEST_F(EngineCommands, ErrorsHaveANextStep) {
  const auto noModel = cli({"score", "--model", "no/such", "--text", "a b"});
  expectRefused(noModel, "the model cannot be used: no/such");
  EXPECT_THAT(noModel.err, HasSubstr("\n  A model is a GGUF file"));
  const auto noAdapter = cli({"generate", "--model", model_.string(), "--adapter", folder_.string(), "--prompt", "a"});
  expectRefused(noAdapter, "the adapter cannot be used: " + (folder_ / "adapter_config.json").string());
  EXPECT_THAT(noAdapter.err, HasSubstr("\n  An adapter is a directory"));
  const auto noData = cli({"eval", "--model", model_.string(), "--data", "no.jsonl"});
  expectRefused(noData, "the data cannot be used: no.jsonl");
  EXPECT_THAT(noData.err, HasSubstr("\n  Check the path of the dataset."));
}

TEST_F(EngineCommands, HelpSaysWhatACommandDoesAndWhatItsOptionsMean) {
  const std::map<std::string, std::string> descriptions{
      {"score", "Log-probability of each token"}, {"generate", "Answer a prompt"}, {"eval", "Loss and perplexity"}, {"plan", "what fits"}};
  for (const auto& [verb, description] : descriptions) {
    const auto help = cli({verb, "--help"});
    EXPECT_EQ(help.exitCode, 0) << verb;
    EXPECT_THAT(help.out, HasSubstr(description));
    EXPECT_THAT(help.out, testing::ContainsRegex("--json +One JSON object per line"));
  }
}

TEST_F(EngineCommands, APlanCountsTheProcessorTimeOfGathers) {
  const int64_t ranks = std::clamp<int64_t>(std::thread::hardware_concurrency(), 2, 8);
  const bool isFull = std::thread::hardware_concurrency() <= 8;  // no processor is idle that could gather
  auto rows = plan("1GiB", ranks);
  EXPECT_GT(rows["gathers"]["processor_seconds_per_byte"], 0.0);
  EXPECT_TRUE(rows["gathers"]["measured"]);
  for (const char* policy : {"elastic", "gather-always"}) {
    ASSERT_TRUE(rows[policy]["fits"]) << policy;
    EXPECT_LE(rows[policy]["predicted_tokens_per_second"], rows[policy]["predicted_tokens_per_second_if_hidden"]) << policy;
  }
  EXPECT_EQ(rows["elastic"]["predicted_remote_bytes"], 0);
  EXPECT_LT(rows["gather-always"]["predicted_peak_bytes"], rows["elastic"]["predicted_peak_bytes"]) << "it keeps less";
  EXPECT_GT(rows["gather-always"]["predicted_remote_bytes"], 0);
  if (isFull) {
    EXPECT_LT(rows["gather-always"]["predicted_tokens_per_second"], rows["elastic"]["predicted_tokens_per_second"]);
  }
}

TEST_F(EngineCommands, APlanIsMadeForABudgetThatHoldsNoWholeModel) {
  const auto roomy = plan("1GiB", 2);
  const int64_t least = roomy.at("gather-always")["least_budget_bytes"], whole = roomy.at("unsharded")["least_budget_bytes"];
  ASSERT_LT(least, whole);
  const auto tight = plan(std::to_string(whole - 1), 2);
  ASSERT_FALSE(tight.at("unsharded")["fits"]);
  EXPECT_THAT(tight.at("unsharded")["reason"].get<std::string>(), HasSubstr("does not fit: needs"));
  EXPECT_TRUE(tight.at("gather-always")["fits"]);
  for (const auto& entry : std::filesystem::directory_iterator(folder_))
    EXPECT_THAT(entry.path().filename().string(), Not(HasSubstr("tidemark-plan"))) << "left behind";
}

TEST_F(EngineCommands, ALostRankIsToldInOurWords) {
  const pid_t pid = startCli({"run", config("parallel: {device: cpu, ranks: 2}\nmemory: {budget: 1GiB}\n"), "--set",
                              "training.max_steps=1000000", "--set", "output.checkpoint_every=0"});
  const auto events = runDirectory_ / "events.jsonl";
  for (int i = 0; i < 6000 && read(events).find("\"event\":\"step\"") == std::string::npos; ++i) ::usleep(10'000);
  const pid_t lost = rankProcess(1);
  ASSERT_GT(lost, 0) << read(folder_ / "cli.err");
  ::kill(lost, SIGKILL);
  const auto outcome = waitFor(pid);
  EXPECT_EQ(outcome.exitCode, 5);
  EXPECT_THAT(outcome.err, HasSubstr("rank 1 was killed by SIGKILL"));
  const auto told = read(events) + outcome.err;
  for (const char* raw : {"gloo", "GLHF", "pair.cc", "Connection closed"}) EXPECT_THAT(told, Not(HasSubstr(raw)));
  const auto log = read(runDirectory_ / "log" / "rank-0.log");
  if (log.find("caught: ") == std::string::npos) GTEST_SKIP() << "rank 0 was ended before it noticed: " << log;
  EXPECT_THAT(outcome.err, HasSubstr("rank 0: the connection to another rank was lost"));
}

}  // namespace
}  // namespace tidemark::cli
