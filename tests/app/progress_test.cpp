#include "app/cli/progress.h"

#include <gmock/gmock.h>

namespace tidemark::cli {
namespace {

TEST(Progress, ALineTellsWhatMatters) {
  Progress progress(Progress::Style::Plain, 100);
  run::PlanEvent plan;
  plan.budgetBytes = 1ll << 30;
  run::StepEvent step;
  step.step = 10;
  step.loss = 1.25;
  step.tokens = 462;
  step.seconds = 2;
  step.iterations = 4;
  step.remoteBytes = 4 * (155ll << 20);
  step.peakBytes = 900ll << 20;
  progress.take({run::makeEvent(0, plan), run::makeEvent(0, step)});
  EXPECT_EQ(
      progress.lineFor(step),
      "step 10/100  loss 1.2500  231 tok/s  remote 155 MiB/iter  peak 900 MiB/1.00 GiB  3 min 0 s left");
  step.peakBytes = 1000ll << 20;  // 0.98 GiB
  EXPECT_THAT(progress.lineFor(step), testing::HasSubstr("peak 0.98/1.00 GiB"));
}

TEST(Progress, ThePlainStyleLosesNeitherFirstNorLast) {
  Progress progress(Progress::Style::Plain, 50);
  testing::internal::CaptureStderr();
  for (int64_t i = 1; i <= 50; ++i) {
    run::StepEvent step;
    step.step = i;
    progress.take({run::makeEvent(0, step), run::makeEvent(1, step)});
  }
  progress.finish();
  const auto text = testing::internal::GetCapturedStderr();
  EXPECT_THAT(text, testing::HasSubstr("step 1/50"));
  EXPECT_THAT(text, testing::HasSubstr("step 50/50"));
  EXPECT_LT(std::count(text.begin(), text.end(), '\n'), 10);
}

}  // namespace
}  // namespace tidemark::cli
