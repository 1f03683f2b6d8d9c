#include "ui/live/read_detail.h"

#include "core/launch/agent.h"
#include "ui/models/run_status.h"

namespace tidemark::ui {
namespace {

constexpr int64_t kLogLines = 5000;

}  // namespace

void tellLost(storage::RunRecord& run) {
  if (isActive(run.status) && run.agentPid > 0 && !launch::isSameProcess(run.agentPid, run.agentStartTicks)) {
    run.status = storage::RunStatus::Lost;
  }
}

void tellLost(storage::SweepRecord& sweep) {
  if (sweep.status == storage::SweepStatus::Running && !launch::isSameProcess(sweep.agentPid, sweep.agentStartTicks)) {
    sweep.status = storage::SweepStatus::Lost;
  }
}

Result<RunDetail> readDetail(const storage::RunStore& store, const RunWish& wish, int64_t afterStep) {
  RunDetail detail;
  detail.wish = wish;
  TIDEMARK_ASSIGN(detail.record, store.run(wish.runId));
  tellLost(detail.record);
  // A run that was resumed from a checkpoint does steps again: what was sent is not true any more.
  if (detail.record.step < afterStep) afterStep = -1;
  detail.startsOver = afterStep < 0;
  TIDEMARK_ASSIGN(detail.newSteps, store.steps(wish.runId, wish.rank, afterStep));
  TIDEMARK_ASSIGN(detail.evaluations, store.evaluations(wish.runId));
  TIDEMARK_ASSIGN(detail.operators, store.operators(wish.runId, wish.rank));
  TIDEMARK_ASSIGN(detail.plans, store.plans(wish.runId, wish.rank));
  TIDEMARK_ASSIGN(detail.iterations, store.timelineIterations(wish.runId, wish.rank));
  if (!detail.iterations.empty()) {
    TIDEMARK_ASSIGN(detail.timeline, store.timeline(wish.runId, wish.rank, wish.iteration));
  }
  TIDEMARK_ASSIGN(detail.model, store.model(wish.runId));
  TIDEMARK_ASSIGN(detail.dataset, store.dataset(wish.runId));
  TIDEMARK_ASSIGN(detail.checkpoints, store.checkpoints(wish.runId));
  TIDEMARK_ASSIGN(detail.log, store.log(wish.runId, kLogLines));
  return detail;
}

}  // namespace tidemark::ui
