#include "ui/live/run_reader.h"

#include <QTimer>

#include "ui/live/read_detail.h"

namespace tidemark::ui {
namespace {

constexpr int kPollMs = 150;
constexpr int kLivenessMs = 1000;  // an agent that was killed changes nothing in the database

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
  readSweeps();
  readSweepPoints();
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

void RunReader::readDetail() {
  if (wish_.runId.empty()) return;
  const auto detail = ui::readDetail(*store_, wish_, lastStep_);
  if (!detail.ok()) return report(detail.error());
  if (detail->startsOver) lastStep_ = -1;
  if (!detail->newSteps.empty()) lastStep_ = detail->newSteps.back().step;
  emit detailRead(*detail);
}

void RunReader::wishForSweep(const std::string& sweepId) {
  wishedSweep_ = sweepId;
  if (store_) readSweepPoints();
}

void RunReader::readSweeps() {
  auto sweeps = store_->sweeps();
  if (!sweeps.ok()) return report(sweeps.error());
  for (storage::SweepRecord& sweep : *sweeps) tellLost(sweep);
  emit sweepsRead(*sweeps);
}

void RunReader::readSweepPoints() {
  if (wishedSweep_.empty()) return;
  const auto points = store_->sweepPoints(wishedSweep_);
  if (!points.ok()) return report(points.error());
  emit sweepPointsRead(QString::fromStdString(wishedSweep_), *points);
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
