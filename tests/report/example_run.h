// A small run with every kind of data, as the report is given it.
#pragma once

#include <cmath>
#include <string>

#include "core/report/report.h"

namespace tidemark::report {

inline run::TimelineEvent exampleTimeline(int64_t iteration, int64_t dynamicBytes) {
  constexpr int64_t kMiB = 1 << 20;
  run::TimelineEvent timeline{iteration, 1, 1150 * kMiB, {}};
  const int64_t count = 60;
  for (int64_t i = 0; i < 2 * count; ++i) {
    const bool isForward = i < count;
    const int64_t index = isForward ? i : 2 * count - 1 - i;
    const int64_t activation = (isForward ? index + 1 : index) * 11 * kMiB;
    run::MemoryPoint point;
    point.operatorIndex = index;
    point.isForward = isForward;
    point.activation = activation;
    point.staticCache = 257 * kMiB;
    point.dynamicCache = std::max<int64_t>(dynamicBytes - activation / 3, 20 * kMiB);
    point.workspace = 12 * kMiB;
    point.trainable = 15 * kMiB;
    timeline.points.push_back(point);
  }
  return timeline;
}

inline RunReport exampleRun(int64_t stepCount = 200) {
  constexpr int64_t kMiB = 1 << 20;
  RunReport report{"01JEXAMPLE", "support-qa r8", "completed", "SmolLM2-135M-Instruct", "support-qa.jsonl",
                   "2026-01-31 13:05:09", "0.1.0", "host", {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, "0.1.0", "Linux"};
  report.hyperparameters = {{"training.learning_rate", "0.0002"}, {"memory.policy", "elastic"}, {"peft.r", "8"}};
  report.modelFacts = run::ModelEvent{"SmolLM2", "gguf", "llama", 134515008, 2442240, 30, 576, 49152, 538060032, "cpu"};
  report.datasetFacts = run::DatasetEvent{940, 49, 120345, 11, 0, 2, "abc"};
  for (int64_t i = 0; i < 62; ++i) {
    const bool isMlp = i % 2 == 0;
    run::OperatorEvent entry{i, "layers." + std::to_string(i / 2) + (isMlp ? ".mlp" : ".attention"), "rise", 8 * kMiB, 4 * kMiB,
                             (isMlp ? 15 : 9) * kMiB, 3 * kMiB, 0.0123, 0.0251, 0.0061, i % 10 != 0};
    report.operators.push_back(entry);
  }
  run::PlanEvent plan{1150 * kMiB, 2, 4, 1140 * kMiB, 150 * kMiB, 150 * kMiB, 4.4, 2, "elastic", "first iteration measured", {}, {}, {}};
  plan.boundaryBytes.assign(62, 4 * kMiB);
  plan.turnBytes.assign(62, 3 * kMiB / 2);
  plan.pieceRemoteBytes.assign(62, 4 * kMiB);
  report.plans = {plan, plan};
  report.plans[1].reason = "longer batch";
  for (int64_t i = 1; i <= stepCount; ++i) {
    run::StepEvent step;
    step.step = i;
    step.loss = 1.4 + 1.1 * std::exp(-static_cast<double>(i) / 40) + 0.05 * std::sin(static_cast<double>(i) * 2.1);
    step.tokens = 1000;
    step.targetTokens = 600;
    step.seconds = i == 1 ? 9.0 : 4.3 + 0.2 * std::sin(static_cast<double>(i));
    step.iterations = 4;
    step.remoteBytes = 4 * 152 * kMiB;
    step.stallSeconds = 0.08;
    step.peakBytes = 1144 * kMiB;
    step.staticBytes = 257 * kMiB;
    report.steps.push_back(step);
  }
  report.evaluations = {{0, 900, 49, 2.61, 3.0}, {stepCount, 900, 49, 1.52, 3.0}};
  report.firstTimeline = exampleTimeline(0, 30 * kMiB);
  report.lastTimeline = exampleTimeline(7, 250 * kMiB);
  if (!report.steps.empty()) report.lastStepOfRank = {{0, report.steps.back()}, {1, report.steps.back()}};
  return report;
}

}  // namespace tidemark::report
