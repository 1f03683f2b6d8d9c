// What the form makes of what is typed.
#include "ui/sweep/sweep_form.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/sweep/points.h"

namespace tidemark::ui {
namespace {

using testing::ElementsAre;
using Kind = sweep::SweptKey::Kind;

run::RunConfig base() {
  run::RunConfig config;
  config.model = "/m.gguf";
  config.dataset.train = "/d.jsonl";
  config.dataset.eval = "0.1";
  config.training.maxSteps = 40;
  return config;
}

TEST(SweepForm, SplitsAtCommasOutsideBrackets) {
  EXPECT_THAT(splitValues("1e-4, 2e-4 ,3"), ElementsAre("1e-4", "2e-4", "3"));
  EXPECT_THAT(splitValues("all-linear, [q_proj, v_proj]"), ElementsAre("all-linear", "[q_proj, v_proj]"));
  EXPECT_THAT(splitValues(" , "), ElementsAre());
}

TEST(SweepForm, CountsTheRunsAndHandsOverWhatWasTyped) {
  SweepForm form;
  form.setBase(base());
  EXPECT_FALSE(form.isReady()) << "nothing is varied yet";
  EXPECT_TRUE(form.rowProblem(0).isEmpty()) << "an empty line shows no error beside it";
  form.setRow(0, {"training.learning_rate", Kind::Choice, "1e-4, 2e-4, 4e-4"});
  form.addRow();
  EXPECT_EQ(form.rows()[1].key, "peft.r") << "the next usual one";
  form.setRow(1, {"peft.r", Kind::Choice, "4, 8"});
  form.setSeeds(2);
  EXPECT_TRUE(form.isReady()) << form.problems().join("\n").toStdString();
  EXPECT_EQ(form.runCount(), 12);
  EXPECT_EQ(sweep::pointsOf(form.sweep()).size(), 12u);
  form.removeRow(1);
  EXPECT_EQ(form.runCount(), 6);
}

TEST(SweepForm, ProblemsAreToldAtTheirLine) {
  SweepForm form;
  form.setBase(base());
  form.setRow(0, {"training.learning_rate", Kind::Choice, "1e-4, 7"});
  EXPECT_TRUE(form.rowProblem(0).contains("at most 1"));
  EXPECT_EQ(form.runCount(), 0);
  form.setRow(0, {"training.learning_rate", Kind::Choice, "1e-4"});
  form.addRow();
  form.setRow(1, {"training.learning_rate", Kind::Choice, "2e-4"});
  EXPECT_TRUE(form.rowProblem(1).contains("twice")) << form.problems().join("\n").toStdString();
}

TEST(SweepForm, DrawnValuesMakeItRandomAndAGridListsAgain) {
  SweepForm form;
  form.setBase(base());
  form.setRow(0, {"training.learning_rate", Kind::LogUniform, "1e-5, 1e-3"});
  EXPECT_EQ(form.sweep().mode, sweep::Mode::Random);
  EXPECT_EQ(form.runCount(), 10);
  form.setCount(25);
  EXPECT_EQ(form.runCount(), 25);
  form.setMode(sweep::Mode::Grid);
  EXPECT_EQ(form.rows()[0].kind, Kind::Choice);
  EXPECT_EQ(form.runCount(), 2) << "the two ends as values";
}

TEST(SweepForm, EstimatesTheTimeFromARunOfTheSameModelAndRanks) {
  SweepForm form;
  form.setBase(base());
  form.setRow(0, {"peft.r", Kind::Choice, "4, 8"});
  EXPECT_TRUE(form.timeText().contains("not known")) << form.timeText().toStdString();
  storage::RunRecord run;
  run.id = "1";
  run.name = "first";
  run.ranks = 2;
  run.secondsPerStep = 3;
  run.configYaml = run::toYaml(base());
  form.setRuns({run});
  // 2 runs of 40 steps of 3 s.
  EXPECT_TRUE(form.timeText().contains("4 min")) << form.timeText().toStdString();
  EXPECT_TRUE(form.timeText().contains("first"));
  run::RunConfig longer = base();
  longer.training.globalBatchSize *= 2;
  form.setBase(longer);
  EXPECT_TRUE(form.timeText().contains("8 min")) << form.timeText().toStdString();
  form.setAtOnce(2);
  EXPECT_TRUE(form.timeText().contains("4 min")) << form.timeText().toStdString();
  longer.parallel.ranks = 4;
  form.setBase(longer);
  EXPECT_TRUE(form.timeText().contains("not known"));
}

}  // namespace
}  // namespace tidemark::ui
