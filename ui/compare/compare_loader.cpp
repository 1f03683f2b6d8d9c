#include "ui/compare/compare_loader.h"

#include <algorithm>
#include <cstddef>

#include "core/text/tokenizer.h"
#include "core/weights/hub_cache.h"
#include "ui/live/read_detail.h"
#include "ui/models/run_status.h"

namespace tidemark::ui {
namespace {

int64_t bytesOf(const run::MemoryPoint& point) {
  return point.activation + point.staticCache + point.dynamicCache + point.workspace + point.trainable;
}

void takeFuller(const run::TimelineEvent& timeline, ComparedRun& run) {
  run.budgetBytes = std::max(run.budgetBytes, timeline.budgetBytes);
  for (const run::MemoryPoint& point : timeline.points) {
    if (!run.fullest || bytesOf(point) > bytesOf(*run.fullest)) run.fullest = point;
  }
}

// The step in which the rank was fullest; 0: it has not done any.
Result<int64_t> fullestStep(const storage::RunStore& store, const ComparedRun& run, int64_t rank) {
  auto steps = rank == 0 ? Result<std::vector<run::StepEvent>>(run.steps) : store.steps(run.record.id, rank, -1);
  if (!steps.ok()) return steps.error();
  const auto most = std::max_element(steps->begin(), steps->end(), [](const auto& a, const auto& b) { return a.peakBytes < b.peakBytes; });
  return most == steps->end() ? 0 : most->step;
}

// Of the timelines: those of the rank's fullest step, and the one in force when it began. A timeline is stored when it differs
// from the one before, so these hold the rank's peak.
Status readFullest(const storage::RunStore& store, int64_t rank, ComparedRun& run) {
  TIDEMARK_ASSIGN(const auto iterations, store.timelineIterations(run.record.id, rank));
  if (iterations.empty()) return {};  // this rank has measured nothing yet
  TIDEMARK_ASSIGN(const int64_t step, fullestStep(store, run, rank));
  std::size_t first = 0, end = iterations.size();  // the first timeline of that step or a later one lies in [first, end]
  while (first < end) {
    const std::size_t middle = (first + end) / 2;
    TIDEMARK_ASSIGN(const auto timeline, store.timeline(run.record.id, rank, iterations[middle]));
    if (timeline.step < step) first = middle + 1;
    else end = middle;
  }
  for (std::size_t i = first > 0 ? first - 1 : 0; i < iterations.size(); ++i) {
    TIDEMARK_ASSIGN(const auto timeline, store.timeline(run.record.id, rank, iterations[i]));
    if (step > 0 && timeline.step > step && i > 0) break;
    takeFuller(timeline, run);
  }
  return {};
}

Status readFullest(const storage::RunStore& store, ComparedRun& run) {
  for (int64_t rank = 0; rank < std::max<int64_t>(1, run.record.ranks); ++rank) TIDEMARK_TRY(readFullest(store, rank, run));
  return {};
}

// A run that has ended changes only when it is renamed, resumed or brought up to date.
bool isSame(const storage::RunRecord& a, const storage::RunRecord& b) {
  return !isActive(a.status) && a.status == b.status && a.name == b.name && a.step == b.step && a.finishedAt == b.finishedAt &&
         a.loss == b.loss && a.evalLoss == b.evalLoss && a.peakBytes == b.peakBytes && a.tokensPerSecond == b.tokensPerSecond;
}

}  // namespace

std::optional<std::string> settingOf(const ComparedRun& run, const std::string& key) {
  const auto found = std::find_if(run.settings.begin(), run.settings.end(), [&](const auto& s) { return s.first == key; });
  return found == run.settings.end() ? std::optional<std::string>() : found->second;
}

CompareLoader::CompareLoader(std::filesystem::path database) : database_(std::move(database)) {}

Result<ComparedRuns> CompareLoader::load(const std::vector<std::string>& runIds) {
  if (!store_) {
    TIDEMARK_ASSIGN(store_, storage::RunStore::open(database_));
  }
  ComparedRuns runs;
  std::map<std::string, std::shared_ptr<const ComparedRun>> known;
  for (const std::string& id : runIds) {
    auto run = loadRun(id);
    if (!run.ok() && run.error().code == ErrorCode::NotFound) continue;
    if (!run.ok()) return run.error();
    known[id] = *run;
    runs.push_back(*run);
  }
  known_ = std::move(known);
  return runs;
}

Result<std::shared_ptr<const ComparedRun>> CompareLoader::loadRun(const std::string& runId) {
  auto run = std::make_shared<ComparedRun>();
  TIDEMARK_ASSIGN(run->record, store_->run(runId));
  tellLost(run->record);
  if (const auto found = known_.find(runId); found != known_.end() && isSame(run->record, found->second->record)) return found->second;
  TIDEMARK_ASSIGN(run->settings, store_->hyperparameters(runId));
  TIDEMARK_ASSIGN(run->model, store_->model(runId));
  TIDEMARK_ASSIGN(run->dataset, store_->dataset(runId));
  TIDEMARK_ASSIGN(run->steps, store_->steps(runId, 0, -1));
  TIDEMARK_ASSIGN(run->evaluations, store_->evaluations(runId));
  TIDEMARK_ASSIGN(run->operators, store_->operators(runId, 0));
  TIDEMARK_ASSIGN(run->samples, store_->samples(runId));
  TIDEMARK_TRY(readFullest(*store_, *run));
  if (run->budgetBytes == 0) run->budgetBytes = run->record.budgetBytes.value_or(0);
  run->chatTemplate = chatTemplateOf(run->record.model);
  return std::shared_ptr<const ComparedRun>(std::move(run));
}

std::optional<std::string> CompareLoader::chatTemplateOf(const std::string& model) {
  const auto [entry, isNew] = templates_.try_emplace(model);
  if (!isNew) return entry->second;
  const auto path = weights::resolveModelPath(model);
  if (!path.ok()) return {};
  const auto tokenizer = text::Tokenizer::open(*path);
  if (tokenizer.ok()) entry->second = (*tokenizer)->chatTemplate();
  return entry->second;
}

}  // namespace tidemark::ui
