// tidemark-cli plan: by formulas for hardware that is not there, and with what an engine measures (here a script that prints a
// profile made from the formulas, twice as slow).
#include <gmock/gmock.h>

#include "core/fit/formula_figures.h"
#include "tests/app/cli_run.h"

namespace tidemark::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

class CliPlan : public CliTest {
 protected:
  static constexpr const char* kSmall = "dataset: {train: data.jsonl, max_seq_length: 24}\ntraining: {global_batch_size: 4}\nmemory: {budget: 1GiB}\n";
  std::string smallConfig() {
    write(folder_ / "small.yaml", "model: " + model_.string() + "\n" + kSmall + "output: {dir: " + runDirectory_.string() + "}\n");
    return (folder_ / "small.yaml").string();
  }
  static std::vector<Json> of(const Outcome& outcome, const std::string& event) {
    std::vector<Json> found;
    for (const Json& line : outcome.lines())
      if (line["event"] == event) found.push_back(line);
    return found;
  }
  // A worker that says what it was called with and prints these lines.
  void engine(const std::string& lines, int exitCode) {
    write(folder_ / "lines", lines);
    std::filesystem::remove(folder_ / "bin" / "tidemark-worker");
    write(folder_ / "bin" / "tidemark-worker",
          "#!/bin/sh\necho \"$@\" > " + (folder_ / "called").string() + "\ncat " + (folder_ / "lines").string() + "\nexit " + std::to_string(exitCode) + "\n");
    std::filesystem::permissions(folder_ / "bin" / "tidemark-worker", std::filesystem::perms::owner_all);
  }
};

TEST_F(CliPlan, FormulasNeedNoEngine) {
  std::filesystem::remove(folder_ / "bin" / "tidemark-worker");
  const auto outcome = cli({"plan", smallConfig(), "--flops", "60T", "--bandwidth", "12GiB", "--memory", "24GiB", "--json"});
  ASSERT_EQ(outcome.exitCode, 0) << outcome.err;
  const auto choices = of(outcome, "choice");
  EXPECT_EQ(choices.size(), 2u * 3 * 4) << "micro-batches 1 and 2, three ways with activations, four forms of the weights";
  double last = 1e300;
  for (const Json& choice : choices) {
    ASSERT_TRUE(choice["fits"]) << choice.dump();
    EXPECT_FALSE(choice["profiled"]);
    EXPECT_LE(choice["predicted_tokens_per_second"], last);
    last = choice["predicted_tokens_per_second"];
    int64_t parts = 0;
    for (const char* part : {"static_bytes", "dynamic_bytes", "activation_bytes", "workspace_bytes", "trainable_bytes"}) parts += choice[part].get<int64_t>();
    EXPECT_EQ(parts, choice["predicted_peak_bytes"].get<int64_t>());
  }
  const auto machine = of(outcome, "machine").front();
  EXPECT_EQ(machine["operations_per_second"]["origin"], "given");
  EXPECT_EQ(machine["efficiency"]["origin"], "assumed");
}

TEST_F(CliPlan, SaysWhatIsAssumedAndThatNothingWasMeasured) {
  const auto words = cli({"plan", smallConfig(), "--flops", "60T", "--bandwidth", "12GiB", "--best", "3"});
  ASSERT_EQ(words.exitCode, 0) << words.err;
  for (const char* said : {"Nothing was measured", "(given)", "50 % (assumed)", "micro-batch", "tokens/s", "computed", "24 choices: 24 fit", "are shown"})
    EXPECT_THAT(words.out, HasSubstr(said));
  const auto unknown = cli({"plan", smallConfig(), "--computed"});
  EXPECT_THAT(unknown.out, HasSubstr("unknown"));
  EXPECT_THAT(unknown.out, HasSubstr("give --flops and --bandwidth"));
  EXPECT_TRUE(of(cli({"plan", smallConfig(), "--computed", "--json"}), "choice").front()["predicted_tokens_per_second"].is_null());
}

TEST_F(CliPlan, AThousandRanks) {
  const auto outcome = cli({"plan", smallConfig(), "--ranks", "1024", "--set", "training.global_batch_size=1024", "--flops", "1P", "--bandwidth", "40GiB",
                            "--memory", "80GiB", "--vary", "memory.weights=float32", "--vary", "memory.activations=auto", "--json"});
  ASSERT_EQ(outcome.exitCode, 0) << outcome.err;
  ASSERT_EQ(of(outcome, "choice").size(), 1u);
  EXPECT_EQ(of(outcome, "choice").front()["ranks"], 1024);
  const auto odd = cli({"plan", smallConfig(), "--ranks", "1024", "--flops", "1P", "--bandwidth", "40GiB"});
  EXPECT_EQ(odd.exitCode, 2);
  EXPECT_THAT(odd.err, HasSubstr("global_batch_size"));
}

TEST_F(CliPlan, VariesAnyKey) {
  const auto outcome = cli({"plan", smallConfig(), "--computed", "--vary", "peft.r=4,16", "--vary", "parallel.ranks=1,2,3", "--vary", "memory.weights=float32",
                            "--vary", "memory.activations=save", "--json"});
  ASSERT_EQ(outcome.exitCode, 0) << outcome.err;
  const auto choices = of(outcome, "choice");
  EXPECT_EQ(choices.size(), 6u);
  int refused = 0;
  for (const Json& choice : choices) {
    EXPECT_EQ(std::to_string(choice["r"].get<int64_t>()), choice["settings"]["peft.r"]);
    if (choice["fits"]) continue;
    ++refused;
    EXPECT_EQ(choice["settings"]["parallel.ranks"], "3");
    EXPECT_THAT(choice["reason"].get<std::string>(), HasSubstr("global_batch_size"));
  }
  EXPECT_EQ(refused, 2);
  for (const auto& wrong : std::vector<std::string>{"peft.r", "peft.rr=4", "peft.r=many", "memory.weights=fp8"}) {
    const auto refusal = cli({"plan", smallConfig(), "--computed", "--vary", wrong});
    EXPECT_EQ(refusal.exitCode, 2) << wrong;
    EXPECT_THAT(refusal.err, HasSubstr("--vary")) << wrong;
  }
}

TEST_F(CliPlan, WhatDoesNotFitNamesWhatIsMissingAndWhatWould) {
  const auto two = "training.micro_batch_size=2";
  const auto roomy = cli({"plan", smallConfig(), "--computed", "--json", "--set", two});
  const auto tight = "memory.budget=" + std::to_string(of(roomy, "present").front()["least_budget_bytes"].get<int64_t>() - 1);
  const auto outcome = cli({"plan", smallConfig(), "--computed", "--set", tight, "--set", two});
  EXPECT_EQ(outcome.exitCode, 0) << "other weights fit: " << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("does not fit: needs"));
  EXPECT_THAT(outcome.out, HasSubstr("Single changes of it that fit:"));
  EXPECT_THAT(outcome.out, HasSubstr("training.micro_batch_size=1"));
  const auto none = cli({"plan", smallConfig(), "--set", tight, "--set", two, "--vary", two, "--vary", "memory.weights=float32", "--vary", "memory.activations=save"});
  EXPECT_EQ(none.exitCode, 2);
  EXPECT_EQ(none.out, "");
  EXPECT_THAT(none.err, HasSubstr("each rank needs at least"));
  EXPECT_THAT(none.err, HasSubstr("the one that needs least"));
  EXPECT_THAT(none.err, HasSubstr("At this budget fits"));
}

TEST_F(CliPlan, ReckonsWithWhatTheEngineMeasured) {
  const auto source = weights::ModelSource::open(model_);
  ASSERT_TRUE(source.ok());
  memory::EstimateInput alone = memory::estimateInputOf(**source, weights::WeightForm::Float32);
  alone.targets = {"all-linear"};
  alone.tokens = alone.longestRow = alone.rankTargets = alone.allTargets = 20;
  fit::Machine machine;
  machine.operationsPerSecond = {1e9, fit::Origin::Given};
  machine.bytesPerSecond = {1e9, fit::Origin::Given};
  auto formulas = fit::formulaFigures(alone, machine);
  ASSERT_TRUE(formulas.ok());
  const int64_t fixed = formulas->estimate.staticBytes + formulas->estimate.trainableBytes;
  const auto profile = fit::toJson(fit::Profile{"float32", formulas->figures, fixed, 20, 20, 20}).dump();
  engine(fit::toJson(fit::GatherProfile{1e9, 0, 2, true, int64_t{1} << 30}).dump() + "\n" + profile + "\n", 0);
  const auto outcome = cli({"plan", smallConfig(), "--set", "peft.r=4", "--vary", "memory.weights=float32", "--json"});
  ASSERT_EQ(outcome.exitCode, 0) << outcome.err;
  const auto called = read(folder_ / "called");
  EXPECT_THAT(called, HasSubstr("profile " + smallConfig() + " --set peft.r=4 --weights float32 --prepared "));
  EXPECT_EQ(of(outcome, "profile").size(), 1u);
  EXPECT_TRUE(of(outcome, "present").front()["profiled"]);
  const auto computed = cli({"plan", smallConfig(), "--set", "peft.r=4", "--flops", "2e9", "--bandwidth", "1000MB", "--latency", "0", "--json"});
  EXPECT_NEAR(of(outcome, "present").front()["predicted_tokens_per_second"].get<double>(),
              of(computed, "present").front()["predicted_tokens_per_second"].get<double>() / 1.0, 0.5 * 20e3);
  const auto words = cli({"plan", smallConfig(), "--vary", "memory.weights=float32"}).out;
  EXPECT_THAT(words, HasSubstr("measured with weights float32"));
  EXPECT_THAT(words, HasSubstr("profiled"));
}

TEST_F(CliPlan, AnEngineThatFailsEndsThePlanWithItsCode) {
  engine("", 3);
  EXPECT_EQ(cli({"plan", smallConfig()}).exitCode, 3);
  engine("no json\n", 0);
  const auto garbage = cli({"plan", smallConfig()});
  EXPECT_EQ(garbage.exitCode, 2);
  EXPECT_THAT(garbage.err, HasSubstr("could not measure"));
  std::filesystem::remove(folder_ / "bin" / "tidemark-worker");
  const auto missing = cli({"plan", smallConfig()});
  EXPECT_EQ(missing.exitCode, 2);
  EXPECT_THAT(missing.err, HasSubstr("--computed"));
}

}  // namespace
}  // namespace tidemark::cli
