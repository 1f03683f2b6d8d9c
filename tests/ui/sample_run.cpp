#include "tests/ui/sample_run.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace tidemark::tests {
namespace {

constexpr double kMiB = 1 << 20;
constexpr int64_t kBudget = static_cast<int64_t>(1.15 * 1024 * kMiB);

int64_t mib(double amount) { return static_cast<int64_t>(amount * kMiB); }

int64_t operatorCount(const SampleShape& shape) { return 2 * shape.layers + 2; }

std::string nameOf(const SampleShape& shape, int64_t index) {
  if (index == 0) return "embedding";
  if (index == operatorCount(shape) - 1) return "loss_head";
  return "layers." + std::to_string((index - 1) / 2) + (index % 2 == 1 ? ".attention" : ".mlp");
}

int64_t activationOf(const SampleShape& shape, int64_t index) {
  if (index == 0) return mib(2.2);
  if (index == operatorCount(shape) - 1) return mib(9);
  return index % 2 == 1 ? mib(10.4) : mib(14.8);
}

int64_t weightOf(const SampleShape& shape, int64_t index) {
  if (index == 0) return mib(108);
  if (index == operatorCount(shape) - 1) return 0;  // tied to the embedding
  return index % 2 == 1 ? mib(3.4) : mib(10.1);
}

run::OperatorEvent operatorEvent(const SampleShape& shape, int64_t index) {
  run::OperatorEvent op;
  op.index = index;
  op.name = nameOf(shape, index);
  op.trend = index + 1 == operatorCount(shape) ? "flat" : "rise";
  op.parameterBytes = weightOf(shape, index);
  op.remoteBytes = op.parameterBytes * (shape.ranks - 1) / shape.ranks;
  op.activationBytes = activationOf(shape, index);
  op.workspaceBytes = index % 2 == 1 ? mib(14) : mib(18);
  op.forwardSeconds = index % 2 == 1 ? 0.021 : 0.034;
  op.backwardSeconds = 2.1 * op.forwardSeconds;
  op.gatherSeconds = static_cast<double>(op.remoteBytes) / (700 * kMiB);
  op.isSaved = index % 7 != 3;
  return op;
}

run::PlanEvent planEvent(const SampleShape& shape) {
  run::PlanEvent plan;
  plan.budgetBytes = kBudget;
  plan.microBatch = 1;
  plan.accumulate = 16 / shape.ranks;
  plan.predictedPeakBytes = mib(1.14 * 1024);
  plan.predictedRemoteBytes = mib(155);
  plan.optimalRemoteBytes = mib(155);
  plan.predictedSeconds = 9.06;
  plan.policy = "elastic";
  plan.reason = "first iteration measured";
  for (int64_t i = 0; i < operatorCount(shape); ++i) {
    const int64_t remote = weightOf(shape, i) * (shape.ranks - 1) / shape.ranks;
    plan.pieceRemoteBytes.push_back(remote);
    plan.boundaryBytes.push_back(remote);
    plan.turnBytes.push_back(i > operatorCount(shape) * 6 / 10 ? remote : 0);
  }
  return plan;
}

run::StepEvent stepEvent(const SampleShape& shape, int64_t number) {
  run::StepEvent step;
  step.step = number;
  const double x = static_cast<double>(number);
  step.loss = 1.35 + 1.1 * std::exp(-x / 25) + 0.06 * std::sin(x * 1.7) + 0.04 * std::cos(x * 4.1);
  step.tokens = 16 * 1024;
  step.targetTokens = 9000;
  step.iterations = 16 / shape.ranks;
  step.seconds = 70.9 + 3 * std::sin(x * 0.9);
  step.learningRate = 2e-4;
  step.gradNorm = 0.8;
  step.remoteBytes = mib(157) * step.iterations;
  step.stallSeconds = 1.28;
  step.peakBytes = mib(1.146 * 1024);
  step.staticBytes = mib(257);
  step.dynamicPeakBytes = mib(230);
  step.activationPeakBytes = mib(760);
  step.workspacePeakBytes = mib(18);
  step.trainableBytes = mib(28);
  step.residentBytes = mib(1500);
  return step;
}

std::vector<run::Event> beginning(const SampleShape& shape) {
  std::vector<run::Event> events;
  run::ModelEvent model{"SmolLM2-135M-Instruct", "gguf", "llama", 134'515'008, 2'442'240, shape.layers, 576, 49152, mib(513), "cpu"};
  events.push_back(run::makeEvent(0, model));
  run::DatasetEvent data;
  data.trainRows = 2033;
  data.evalRows = 107;
  data.trainTokens = 912'400;
  data.droppedLong = 3;
  events.push_back(run::makeEvent(0, data));
  events.push_back(run::makeEvent(0, run::LogEvent{"info", "2 ranks on cpu, gloo, 1 thread each"}));
  events.push_back(run::makeEvent(0, run::LogEvent{"warning", "3 rows are longer than 1,024 tokens and were left out"}));
  run::EvalEvent first;
  first.loss = 2.51;
  first.rows = 107;
  events.push_back(run::makeEvent(0, first));
  for (int64_t rank = 0; rank < shape.ranks; ++rank) {
    for (int64_t i = 0; i < operatorCount(shape); ++i) events.push_back(run::makeEvent(rank, operatorEvent(shape, i)));
    events.push_back(run::makeEvent(rank, planEvent(shape)));
  }
  return events;
}

}  // namespace

run::TimelineEvent sampleTimeline(const SampleShape& shape, int64_t iteration, int64_t step) {
  run::TimelineEvent timeline;
  timeline.iteration = iteration;
  timeline.step = step;
  timeline.budgetBytes = kBudget;
  const int64_t count = operatorCount(shape);
  int64_t activation = 0, remote = 0, cacheBefore = 0;
  for (int64_t i = 0; i < count; ++i) remote += weightOf(shape, i) * (shape.ranks - 1) / shape.ranks;
  for (int64_t moment = 0; moment < 2 * count; ++moment) {
    run::MemoryPoint point;
    point.isForward = moment < count;
    point.operatorIndex = point.isForward ? moment : 2 * count - 1 - moment;
    activation += (point.isForward ? 1 : -1) * activationOf(shape, point.operatorIndex);
    point.activation = activation;
    point.staticCache = mib(257);
    point.trainable = mib(28);
    point.workspace = point.operatorIndex % 2 == 1 ? mib(14) : mib(18);
    const int64_t room = kBudget - point.activation - point.staticCache - point.trainable - point.workspace - mib(4);
    point.dynamicCache = std::clamp<int64_t>(room, 0, iteration == 1 ? mib(12) : remote);
    point.resize = moment == 0 ? 0 : point.dynamicCache - cacheBefore;
    if (point.resize < 0) point.reason = "evicted: its slot becomes its activation";
    if (point.resize > 0) point.reason = "gathered";
    cacheBefore = point.dynamicCache;
    timeline.points.push_back(point);
  }
  return timeline;
}

std::vector<run::Event> sampleEvents(const SampleShape& shape, int64_t firstStep, int64_t lastStep) {
  std::vector<run::Event> events;
  if (firstStep == 1) events = beginning(shape);
  for (int64_t number = firstStep; number <= lastStep; ++number) {
    for (int64_t rank = 0; rank < shape.ranks; ++rank) {
      if (number <= 2 || number % 20 == 0) {
        events.push_back(run::makeEvent(rank, sampleTimeline(shape, (number - 1) * 8 + 1, number)));
      }
      events.push_back(run::makeEvent(rank, stepEvent(shape, number)));
    }
    if (number % 25 == 0) {
      run::EvalEvent evaluation;
      evaluation.step = number;
      evaluation.loss = 1.4 + 1.1 * std::exp(-static_cast<double>(number) / 25);
      events.push_back(run::makeEvent(0, evaluation));
      events.push_back(run::makeEvent(0, run::CheckpointEvent{number, "checkpoints/step-" + std::to_string(number)}));
    }
  }
  return events;
}

storage::RunRecord sampleRecord(const std::string& name, const std::filesystem::path& folder) {
  storage::RunRecord record;
  record.name = name;
  record.directory = (folder / "sample").string();
  record.status = storage::RunStatus::Running;
  record.model = "models/SmolLM2-135M-Instruct.gguf";
  record.modelFormat = "gguf";
  record.dataset = "support.jsonl";
  record.policy = "elastic";
  record.ranks = 2;
  record.maxSteps = 100;
  record.createdAt = 1'760'000'000;
  record.configYaml = "model: models/SmolLM2-135M-Instruct.gguf\ndataset: {train: support.jsonl}\n";
  return record;
}

std::string addSampleRun(storage::RunStore& store, const std::string& name, const std::filesystem::path& folder,
                         const SampleShape& shape) {
  storage::RunRecord record = sampleRecord(name, folder);
  record.maxSteps = shape.maxSteps;
  record.ranks = shape.ranks;
  auto id = store.createRun(record, {{"peft.r", "8"}});
  if (!id.ok()) throw std::runtime_error(id.error().message());
  const Status status = store.applyEvents(*id, 0, sampleEvents(shape, 1, shape.steps));
  if (!status.ok()) throw std::runtime_error(status.error().message());
  return *id;
}

}  // namespace tidemark::tests
