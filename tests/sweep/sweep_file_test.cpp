// The file of a sweep: what it takes, what is told of it, and that it can be written again.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "core/sweep/points.h"
#include "tests/base/temporary_folder.h"

namespace tidemark::sweep {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;

class SweepFile : public testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_.path() / name) << text;
    return (folder_.path() / name).string();
  }
  ParsedSweep load(const std::string& text, const std::vector<std::string>& overrides = {}) const {
    const auto parsed = loadSweep(write("sweep.yaml", text), overrides);
    EXPECT_TRUE(parsed.ok()) << (parsed.ok() ? "" : parsed.error().message());
    return parsed.ok() ? *parsed : ParsedSweep{};
  }
  static auto problem(const std::string& key, const std::string& what) {
    return Contains(AllOf(Field(&run::ConfigProblem::key, key), Field(&run::ConfigProblem::what, HasSubstr(what))));
  }

  test::TemporaryFolder folder_;
  std::string base_ = write("base.yaml",
                            "model: /m.gguf\n"
                            "dataset: {train: data.jsonl, eval: 0.1}\n"
                            "training: {max_steps: 40, global_batch_size: 4}\n"
                            "parallel: {ranks: 2}\n");
};

TEST_F(SweepFile, TakesListsAndDistributionsUnderPlainAndNestedKeys) {
  const auto parsed = load("base: base.yaml\nmode: random\ncount: 5\nseeds: 2\nat_once: 2\nobjective: loss\n"
                           "early_stopping: {rule: median, at_least: 2}\n"
                           "keys:\n"
                           "  training.learning_rate: {log_uniform: [1.0e-5, 1.0e-3]}\n"
                           "  peft:\n"
                           "    r: [4, 8]\n"
                           "    lora_alpha: {uniform: [4, 32]}\n"
                           "  dataset.max_seq_length: {int: [64, 128]}\n"
                           "  peft.target_modules: [all-linear, '[q_proj, v_proj]']\n");
  ASSERT_THAT(parsed.problems, IsEmpty());
  const Sweep& sweep = parsed.sweep;
  ASSERT_EQ(sweep.keys.size(), 5u);
  EXPECT_EQ(sweep.keys[0].kind, SweptKey::Kind::LogUniform);
  EXPECT_DOUBLE_EQ(sweep.keys[0].low, 1e-5);
  EXPECT_THAT(sweep.keys[1].choices, ElementsAre("4", "8"));
  EXPECT_EQ(sweep.keys[3].kind, SweptKey::Kind::Integer);
  EXPECT_THAT(sweep.keys[4].choices, ElementsAre("all-linear", "[q_proj, v_proj]"));
  EXPECT_EQ(sweep.name, "sweep");
  EXPECT_EQ(sweep.stopping.after, 10) << "a quarter of the run's steps";
  EXPECT_EQ(sweep.base.dataset.train, (folder_.path() / "data.jsonl").string()) << "relative to the base's folder";
}

TEST_F(SweepFile, TellsAllProblemsAtOnceEachWithItsKey) {
  const auto parsed = load("base: base.yaml\nmode: gird\nseeds: 0\ncolour: red\nkeys:\n"
                           "  training.learnin_rate: [1, 2]\n"
                           "  peft.r: [4, many]\n"
                           "  peft.lora_alpha: {unifrom: [1, 2]}\n"
                           "  memory.policy: {uniform: [0, 1]}\n"
                           "  training.warmup_ratio: {log_uniform: [0, 0.1]}\n"
                           "  training.max_steps: {uniform: [1, 9]}\n"
                           "  training.weight_decay: {uniform: [0.1, 3]}\n"
                           "  output.dir: [a, b]\n");
  EXPECT_THAT(parsed.problems, problem("mode", "grid, random"));
  EXPECT_THAT(parsed.problems, problem("seeds", "at least 1"));
  EXPECT_THAT(parsed.problems, problem("colour", "is not a known key"));
  EXPECT_THAT(parsed.problems, problem("keys.training.learnin_rate", "did you mean training.learning_rate?"));
  EXPECT_THAT(parsed.problems, problem("keys.peft.r", "a whole number"));
  EXPECT_THAT(parsed.problems, problem("keys.peft.lora_alpha", "unifrom is no distribution"));
  EXPECT_THAT(parsed.problems, problem("keys.memory.policy", "list its values"));
  EXPECT_THAT(parsed.problems, problem("keys.training.warmup_ratio", "above 0"));
  EXPECT_THAT(parsed.problems, problem("keys.training.max_steps", "use int"));
  EXPECT_THAT(parsed.problems, problem("keys.training.weight_decay", "at most 1"));
  EXPECT_THAT(parsed.problems, problem("keys.output.dir", "cannot be swept"));
}

TEST_F(SweepFile, ADistributionNeedsModeRandomAndACount) {
  EXPECT_THAT(load("base: base.yaml\nkeys: {peft.lora_alpha: {uniform: [1, 2]}}\n").problems, problem("keys.peft.lora_alpha", "mode: random"));
  EXPECT_THAT(load("base: base.yaml\nmode: random\nkeys: {peft.r: [1, 2]}\n").problems, problem("count", "at least 1"));
  EXPECT_THAT(load("base: base.yaml\nmode: random\ncount: 3\nkeys: {peft.r: [1, 2]}\n").problems, problem("count", "only 2 combinations"));
  EXPECT_THAT(load("base: base.yaml\nkeys: {}\n").problems, problem("keys", "names no key"));
}

TEST_F(SweepFile, WhatTheObjectiveNeedsIsAsked) {
  const auto parsed = load("base: base.yaml\nearly_stopping: median\nkeys: {peft.r: [1, 2]}\n");
  EXPECT_THAT(parsed.problems, problem("early_stopping", "training.eval_steps"));
  const auto without = load("base: base.yaml\nkeys: {peft.r: [1, 2]}\n", {"dataset.eval=0"});
  EXPECT_THAT(without.problems, problem("objective", "needs data to evaluate on"));
}

TEST_F(SweepFile, ASweptKeyMayBeMissingInTheBase) {
  write("partial.yaml", "dataset: {train: data.jsonl, eval: 0.1}\n");
  EXPECT_THAT(load("base: partial.yaml\nkeys: {model: [/a.gguf, /b.gguf]}\n").problems, IsEmpty());
  EXPECT_THAT(load("base: partial.yaml\nkeys: {peft.r: [4, 8]}\n").problems, problem("model", "is required"));
}

TEST_F(SweepFile, FilesThatAreTriedLieBesideTheSweepsFile) {
  const auto parsed = load("base: base.yaml\nkeys: {dataset.train: [other.jsonl, /abs.jsonl]}\n");
  ASSERT_THAT(parsed.problems, IsEmpty());
  EXPECT_THAT(parsed.sweep.keys[0].choices, ElementsAre((folder_.path() / "other.jsonl").string(), "/abs.jsonl"));
}

TEST_F(SweepFile, OneCombinationThatCannotBeRunIsNoProblemOfTheFile) {
  const auto parsed = load("base: base.yaml\nkeys: {parallel.ranks: [2, 3]}\n");
  EXPECT_THAT(parsed.problems, IsEmpty()) << "3 ranks do not divide the batch of 4; that point fails by itself";
  EXPECT_THAT(load("base: base.yaml\nkeys: {parallel.ranks: [3, 5]}\n").problems, problem("training.global_batch_size", "do not divide"));
}

TEST_F(SweepFile, ProblemsOfTheBaseAreToldWithItsName) {
  write("wrong.yaml", "model: /m.gguf\ndataset: {train: d.jsonl, eval: 0.1}\ntraining: {learning_rat: 1}\n");
  EXPECT_THAT(load("base: wrong.yaml\nkeys: {peft.r: [4, 8]}\n").problems, problem("wrong.yaml: training.learning_rat", "did you mean"));
}

TEST_F(SweepFile, NoBaseAndAMissingBaseAreTold) {
  EXPECT_THAT(load("keys: {peft.r: [4, 8]}\n").problems, problem("base", "is required"));
  const auto missing = loadSweep(write("sweep.yaml", "base: none.yaml\nkeys: {peft.r: [4, 8]}\n"), {});
  ASSERT_FALSE(missing.ok());
  EXPECT_THAT(missing.error().message(), HasSubstr("none.yaml"));
}

TEST_F(SweepFile, WrittenAgainItIsTheSameSweep) {
  const auto parsed = load("base: base.yaml\nname: 'a \"b\": c'\nmode: random\ncount: 7\nseed: 3\nseeds: 2\nobjective: loss\n"
                           "early_stopping: {rule: halving, after: 5, factor: 3}\n"
                           "keys: {training.learning_rate: {log_uniform: [1.0e-5, 1.0e-3]}, peft.target_modules: ['[q_proj, v_proj]', all-linear]}\n",
                           {"peft.r=32"});
  ASSERT_THAT(parsed.problems, IsEmpty());
  const auto again = load(toYaml(parsed.sweep));
  ASSERT_THAT(again.problems, IsEmpty());
  EXPECT_EQ(again.sweep.name, "a \"b\": c");
  EXPECT_EQ(again.sweep.base.peft.r, 32);
  EXPECT_EQ(again.sweep.stopping.factor, 3);
  EXPECT_EQ(toYaml(again.sweep), toYaml(parsed.sweep));
  const auto points = pointsOf(parsed.sweep), same = pointsOf(again.sweep);
  ASSERT_EQ(points.size(), 14u);
  for (size_t i = 0; i < points.size(); ++i) EXPECT_EQ(points[i].values, same[i].values);
}

}  // namespace
}  // namespace tidemark::sweep
