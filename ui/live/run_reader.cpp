#include "ui/live/run_reader.h"

#include <QTimer>

#include "core/launch/agent.h"
#include "ui/models/run_status.h"

namespace tidemark::ui {
namespace {

constexpr int kPollMs = 150;
constexpr int kLivenessMs = 1000;  // an agent that was killed changes nothing in the database
constexpr int64_t kLogLines = 5000;

// A run whose agent should be alive and is not has ended without a word.
void tellLost(storage::RunRecord& run) {
  if (isActive(run.status) && run.agentPid > 0 && !launch::isSameProcess(run.agentPid, run.agentStartTicks)) {
    run.status = storage::RunStatus::Lost;
  }
}

}  // namespace

RunReader::RunReader(std::filesystem::path database) : database_(std::move(database)) {}
RunReader::~RunReader() = default;

void RunReader::start() {
  timer_ = new QTimer(this);
  connect(timer_, &QTimer::timeout, this, &RunReader::poll);
  timer_->start(kPollMs);
  poll();
}

void RunReader::poll() {
  if (!store_) {
    auto opened = storage::RunStore::open(database_);
    if (!opened.ok()) return report(opened.error());
    store_ = std::move(opened).value();
  }
  const int64_t counter = store_->changeCounter();
  const bool isLivenessDue = !sinceLivenessCheck_.isValid() || sinceLivenessCheck_.elapsed() >= kLivenessMs;
  if (counter == seen_ && !isLivenessDue) return;
  seen_ = counter;
  sinceLivenessCheck_.start();
  readRuns();
  readDetail();
}

void RunReader::report(const Error& error) {
  if (hasFailed_) return;
  hasFailed_ = true;
  emit failed(QString::fromStdString(error.message()));
}

void RunReader::readRuns() {
  auto runs = store_->runs({});
  if (!runs.ok()) return report(runs.error());
  for (storage::RunRecord& run : *runs) tellLost(run);
  if (hasFailed_) emit recovered();
  hasFailed_ = false;
  emit runsRead(*runs);
}

void RunReader::wishFor(const RunWish& wish) {
  const bool isOther = wish.runId != wish_.runId || wish.rank != wish_.rank;
  wish_ = wish;
  if (isOther) lastStep_ = -1;
  if (store_) readDetail();
}

void RunReader::readMetrics(RunDetail& detail) {
  const std::string& id = wish_.runId;
  // A run that was resumed from a checkpoint does steps again: what was sent is not true any more.
  if (detail.record.step < lastStep_) lastStep_ = -1;
  detail.startsOver = lastStep_ < 0;
  if (auto steps = store_->steps(id, wish_.rank, lastStep_); steps.ok()) {
    detail.newSteps = std::move(steps).value();
  } else {
    return report(steps.error());
  }
  if (!detail.newSteps.empty()) lastStep_ = detail.newSteps.back().step;
  if (auto read = store_->evaluations(id); read.ok()) detail.evaluations = std::move(read).value();
  else return report(read.error());
  if (auto read = store_->operators(id, wish_.rank); read.ok()) detail.operators = std::move(read).value();
  else return report(read.error());
  if (auto read = store_->plans(id, wish_.rank); read.ok()) detail.plans = std::move(read).value();
  else return report(read.error());
  if (auto read = store_->timelineIterations(id, wish_.rank); read.ok()) detail.iterations = std::move(read).value();
  else return report(read.error());
}

void RunReader::readDetail() {
  if (wish_.runId.empty()) return;
  RunDetail detail;
  detail.wish = wish_;
  auto record = store_->run(wish_.runId);
  if (!record.ok()) return report(record.error());
  detail.record = std::move(record).value();
  tellLost(detail.record);
  readMetrics(detail);
  if (!detail.iterations.empty()) {
    auto timeline = store_->timeline(wish_.runId, wish_.rank, wish_.iteration);
    if (!timeline.ok()) return report(timeline.error());
    detail.timeline = std::move(timeline).value();
  }
  if (auto read = store_->model(wish_.runId); read.ok()) detail.model = std::move(read).value();
  else return report(read.error());
  if (auto read = store_->dataset(wish_.runId); read.ok()) detail.dataset = std::move(read).value();
  else return report(read.error());
  if (auto read = store_->checkpoints(wish_.runId); read.ok()) detail.checkpoints = std::move(read).value();
  else return report(read.error());
  if (auto read = store_->log(wish_.runId, kLogLines); read.ok()) detail.log = std::move(read).value();
  else return report(read.error());
  emit detailRead(detail);
}

void RunReader::deleteRun(const std::string& runId) {
  if (!store_) return;
  if (runId == wish_.runId) wish_ = {};
  if (const Status status = store_->deleteRun(runId); !status.ok()) return report(status.error());
  readRuns();
}

void RunReader::renameRun(const std::string& runId, const std::string& name) {
  if (!store_) return;
  if (const Status status = store_->rename(runId, name); !status.ok()) return report(status.error());
  readRuns();
  readDetail();
}

}  // namespace tidemark::ui
