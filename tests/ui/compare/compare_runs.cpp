#include "compare_runs.h"

#include <stdexcept>

#include "core/run/config.h"

namespace tidemark::tests {
namespace {

constexpr int64_t kMiB = 1 << 20;

run::StepEvent step(int64_t number, double loss) {
  run::StepEvent event;
  event.step = number;
  event.loss = loss;
  event.tokens = 1000;
  event.targetTokens = 600;
  event.seconds = 2;
  event.learningRate = 2e-4;
  event.iterations = 4;
  event.remoteBytes = 4 * 150 * kMiB;
  event.peakBytes = 600 * kMiB;
  return event;
}

run::EvalEvent evaluation(int64_t number, double loss) {
  run::EvalEvent event;
  event.step = number;
  event.loss = loss;
  event.rows = 20;
  event.targetTokens = 900;
  return event;
}

run::OperatorEvent op(int64_t index, const std::string& name, int64_t bytes) {
  run::OperatorEvent event;
  event.index = index;
  event.name = name;
  event.trend = "rise";
  event.activationBytes = bytes;
  return event;
}

run::TimelineEvent timeline() {
  run::TimelineEvent event;
  event.iteration = 1;
  event.step = 1;
  event.budgetBytes = 700 * kMiB;
  event.points.push_back({.operatorIndex = 0, .isForward = true, .activation = 10 * kMiB, .staticCache = 250 * kMiB, .dynamicCache = 200 * kMiB,
                          .workspace = 5 * kMiB, .trainable = 30 * kMiB, .resize = 0, .reason = {}});
  event.points.push_back({.operatorIndex = 1, .isForward = true, .activation = 280 * kMiB, .staticCache = 250 * kMiB, .dynamicCache = 20 * kMiB,
                          .workspace = 15 * kMiB, .trainable = 30 * kMiB, .resize = 0, .reason = {}});
  return event;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> settingsWith(const Settings& changes) {
  run::RunConfig config;
  config.model = "/models/small.gguf";
  config.dataset.train = "/data/train.jsonl";
  for (const auto& [key, value] : changes) {
    const Status status = run::setKey(config, key, value);
    if (!status.ok()) throw std::runtime_error(status.error().message());
  }
  return run::flatten(config);
}

ui::ComparedRun comparedRun(const std::string& name, const Settings& changes, const std::vector<double>& losses) {
  ui::ComparedRun run;
  run.record.id = "id of " + name;
  run.record.name = name;
  run.record.status = storage::RunStatus::Completed;
  run.record.ranks = 2;
  run.record.step = static_cast<int64_t>(losses.size());
  run.settings = settingsWith(changes);
  run.chatTemplate = "{{ messages }}";
  for (std::size_t i = 0; i < losses.size(); ++i) run.steps.push_back(step(static_cast<int64_t>(i) + 1, losses[i]));
  return run;
}

ui::ComparedRuns shared(const std::vector<ui::ComparedRun>& runs) {
  ui::ComparedRuns all;
  for (const ui::ComparedRun& run : runs) all.push_back(std::make_shared<const ui::ComparedRun>(run));
  return all;
}

std::string addComparedRun(storage::RunStore& store, const std::filesystem::path& folder, const std::string& name,
                           const Settings& changes, const std::vector<double>& losses) {
  const auto settings = settingsWith(changes);
  storage::RunRecord record;
  record.name = name;
  record.directory = (folder / "run").string();
  record.status = storage::RunStatus::Running;
  for (const auto& [key, value] : settings) {
    if (key == "model") record.model = value;
    if (key == "dataset.train") record.dataset = value;
    if (key == "memory.policy") record.policy = value;
  }
  record.ranks = 2;
  record.maxSteps = static_cast<int64_t>(losses.size());
  record.createdAt = 1'760'000'000;
  const auto id = store.createRun(record, settings);
  if (!id.ok()) throw std::runtime_error(id.error().message());
  std::vector<run::Event> events;
  events.push_back(run::makeEvent(0, op(0, "embedding", 2 * kMiB)));
  events.push_back(run::makeEvent(0, op(1, "layers.0.attention", 14 * kMiB)));
  events.push_back(run::makeEvent(0, timeline()));
  for (std::size_t i = 0; i < losses.size(); ++i) events.push_back(run::makeEvent(0, step(static_cast<int64_t>(i) + 1, losses[i])));
  if (!losses.empty()) events.push_back(run::makeEvent(0, evaluation(static_cast<int64_t>(losses.size()), losses.back() + 0.25)));
  events.push_back(run::makeEvent(-1, run::FinishedEvent{*id, "completed", "", 0}));
  const Status status = store.applyEvents(*id, 0, events);
  if (!status.ok()) throw std::runtime_error(status.error().message());
  return *id;
}

}  // namespace tidemark::tests
