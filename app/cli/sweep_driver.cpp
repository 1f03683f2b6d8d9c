#include "app/cli/sweep_driver.h"

#include <poll.h>

#include <algorithm>
#include <csignal>

#include "app/cli/words.h"
#include "core/base/file.h"

namespace tidemark::cli {
namespace fs = std::filesystem;
namespace {

using storage::PointState;
using storage::SweepPoint;

constexpr int kPollMs = 500;
constexpr auto kKeepInterval = std::chrono::seconds(1);  // of progress; what a run comes to is kept at once

std::string numbered(int64_t point) {
  std::string text = std::to_string(point + 1);
  return std::string(text.size() < 4 ? 4 - text.size() : 0, '0') + text;
}

sweep::Point pointOf(const SweepPoint& point) { return {point.number, point.values, point.seed}; }

}  // namespace

SweepDriver::SweepDriver(SweepTask task, storage::RunStore& store, SweepView& view)
    : task_(std::move(task)), store_(store), view_(view), known_(task_.points.size()) {}

// A resumed sweep judges its runs by those that went before.
Status SweepDriver::readKnown() {
  for (const SweepPoint& point : task_.points) {
    if (point.run.empty() || !store_.run(point.run).ok()) continue;  // its run was deleted
    sweep::Reporter reporter(task_.sweep.objective);
    TIDEMARK_ASSIGN(const auto steps, store_.steps(point.run, 0, -1));
    TIDEMARK_ASSIGN(const auto evaluations, store_.evaluations(point.run));
    for (const auto& step : steps) reporter.take(run::makeEvent(0, step));
    for (const auto& evaluation : evaluations) reporter.take(run::makeEvent(0, evaluation));
    known_[static_cast<size_t>(point.number)] = {reporter.reports(), point.state == PointState::Completed};
  }
  return {};
}

Result<run::ExitCode> SweepDriver::run() {
  std::signal(SIGPIPE, SIG_IGN);
  TIDEMARK_ASSIGN(auto signals, launch::AgentSignals::block());
  std::error_code failure;
  fs::create_directories(task_.folder, failure);
  if (failure) return Error{ErrorCode::Io, task_.folder.string(), failure.message()};
  TIDEMARK_TRY(readKnown());
  view_.begin(task_.points);
  for (;;) {
    if (!isStopping_) startWaiting(signals);
    if (running_.empty()) break;
    waitForNews(signals);
    takeSignals(signals);
    readRuns();
    reapRuns();
    view_.show(task_.points);
  }
  return finish();
}

void SweepDriver::startWaiting(const launch::AgentSignals& signals) {
  for (; next_ < task_.points.size() && static_cast<int64_t>(running_.size()) < task_.sweep.atOnce; ++next_) {
    SweepPoint& point = task_.points[next_];
    if (storage::isDone(point.state)) continue;
    auto run = start(point, signals);
    if (run.ok()) {
      point = run->point();
      running_.push_back(std::move(run).value());
    } else {
      point.state = PointState::Failed;
      point.reason = run.error().message();
    }
    keep(point);
    if (storage::isDone(point.state)) view_.tellEnd(point);
  }
}

Result<std::vector<std::string>> SweepDriver::argumentsFor(const SweepPoint& point) const {
  const std::vector<std::string> shared{"--json", "--db", task_.database.string()};
  std::vector<std::string> arguments;
  if (!point.run.empty() && store_.run(point.run).ok()) {
    arguments = {"resume", point.run};
  } else {
    run::RunConfig config = sweep::configOf(task_.sweep, pointOf(point));
    const std::string& place = task_.sweep.base.output.dir;
    if (place != "auto") config.output.dir = (fs::path(place) / task_.id / numbered(point.number)).string();
    const fs::path file = task_.folder / (numbered(point.number) + ".yaml");
    TIDEMARK_TRY(writeFileAtomically(file, run::toYaml(config)));
    const std::string name = task_.sweep.name + " " + std::to_string(point.number + 1) + ": " + sweep::labelOf(task_.sweep, pointOf(point));
    arguments = {"run", file.string(), "--name", name, "--of-sweep", task_.id, "--sweep-point", std::to_string(point.number)};
  }
  arguments.insert(arguments.end(), shared.begin(), shared.end());
  return arguments;
}

Result<SweepRun> SweepDriver::start(const SweepPoint& point, const launch::AgentSignals& signals) const {
  TIDEMARK_ASSIGN(auto arguments, argumentsFor(point));
  sweep::Reporter reporter(task_.sweep.objective);
  return SweepRun::start({std::move(arguments), task_.cli, task_.folder / (numbered(point.number) + ".log"), signals.maskForRanks()},
                         point, std::move(reporter));
}

void SweepDriver::waitForNews(const launch::AgentSignals& signals) const {
  std::vector<pollfd> handles{{signals.handle(), POLLIN, 0}};
  for (const SweepRun& run : running_)
    if (run.handle() >= 0) handles.push_back({run.handle(), POLLIN, 0});
  ::poll(handles.data(), handles.size(), kPollMs);
}

void SweepDriver::takeSignals(launch::AgentSignals& signals) {
  for (int requests = signals.takeStopRequests(); requests > 0; --requests) {
    view_.note(isStopping_ ? "Ending the runs at once."
                           : "Stopping: the runs write a checkpoint first; asked again, they end at once.");
    isStopping_ = true;
    for (SweepRun& run : running_) run.stop();
  }
}

void SweepDriver::readRuns() {
  for (SweepRun& run : running_) {
    const std::string before = run.point().run;
    const bool isNew = run.read();
    task_.points[static_cast<size_t>(run.point().number)] = run.point();
    const auto now = std::chrono::steady_clock::now();
    if (run.point().run != before || (isNew && now - lastKept_ >= kKeepInterval)) {
      keep(run.point());
      lastKept_ = now;
    }
    if (!isNew) continue;
    known_[static_cast<size_t>(run.point().number)].reports = run.reports();
    if (!isStopping_ && !run.isStopping()) judge(run);
  }
}

void SweepDriver::judge(SweepRun& run) {
  if (!run.reports().empty() && run.reports().back().step >= sweep::configOf(task_.sweep, pointOf(run.point())).training.maxSteps) return;
  std::vector<sweep::OtherRun> others;
  for (size_t i = 0; i < known_.size(); ++i) {
    if (static_cast<int64_t>(i) != run.point().number && !known_[i].reports.empty()) others.push_back({known_[i].reports, known_[i].isComplete});
  }
  const std::string reason = sweep::reasonToStop(task_.sweep.stopping, task_.sweep.objective, run.reports(), others);
  if (!reason.empty()) run.stopEarly(reason);
}

void SweepDriver::reapRuns() {
  for (auto run = running_.begin(); run != running_.end();) {
    const auto point = run->ended();
    if (!point) {
      ++run;
      continue;
    }
    Known& known = known_[static_cast<size_t>(point->number)];
    known = {run->reports(), point->state == PointState::Completed};
    view_.addSeconds(run->seconds());
    task_.points[static_cast<size_t>(point->number)] = *point;
    run = running_.erase(run);
    keep(*point);
    view_.tellEnd(*point);
  }
}

// The sweep goes on where the database cannot be written: the runs' own events lose nothing by it.
void SweepDriver::keep(const SweepPoint& point) {
  const Status kept = store_.setSweepPoint(task_.id, point);
  if (!kept.ok() && !isDatabaseBehind_) view_.note("warning: the database does not have the sweep's latest state: " + kept.error().message());
  isDatabaseBehind_ = !kept.ok();
}

run::ExitCode SweepDriver::finish() {
  const auto is = [](PointState state) { return [state](const SweepPoint& point) { return point.state == state; }; };
  const bool isOver = std::all_of(task_.points.begin(), task_.points.end(), [](const SweepPoint& point) { return storage::isDone(point.state); });
  if (isDatabaseBehind_)
    for (const SweepPoint& point : task_.points) keep(point);
  const Status kept = store_.setSweepStatus(task_.id, isOver ? storage::SweepStatus::Completed : storage::SweepStatus::Stopped);
  if (!kept.ok()) view_.note("warning: the database does not show the sweep's end: " + kept.error().message());
  view_.finish(task_.points, isOver);
  if (!isOver) return run::ExitCode::Stopped;
  return std::any_of(task_.points.begin(), task_.points.end(), is(PointState::Completed)) ? run::ExitCode::Done : run::ExitCode::Failed;
}

}  // namespace tidemark::cli
