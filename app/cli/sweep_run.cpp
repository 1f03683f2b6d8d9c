#include "app/cli/sweep_run.h"

#include <sys/wait.h>

#include <csignal>
#include <cstring>

#include "core/base/printable.h"
#include "core/launch/log_tail.h"
#include "core/run/event.h"
#include "core/run/exit_code.h"

namespace tidemark::cli {
namespace {

constexpr int kTailLines = 3;

using storage::PointState;

}  // namespace

Result<SweepRun> SweepRun::start(const Command& command, const storage::SweepPoint& point, sweep::Reporter reporter) {
  launch::WorkerCommand worker;
  worker.program = command.program;
  worker.arguments = command.arguments;
  worker.logFile = command.log;
  worker.signalMask = command.signalMask;
  worker.eventHandle = STDOUT_FILENO;
  worker.deathSignal = SIGTERM;  // a run outlives its sweep by no more than a checkpoint
  TIDEMARK_ASSIGN(auto process, launch::WorkerProcess::start(worker));
  SweepRun run(std::move(process), point, std::move(reporter), command.log);
  run.point_.state = PointState::Running;
  run.point_.reason.clear();
  return run;
}

SweepRun::SweepRun(launch::WorkerProcess process, storage::SweepPoint point, sweep::Reporter reporter, std::filesystem::path log)
    : process_(std::move(process)), point_(std::move(point)), reporter_(std::move(reporter)), log_(std::move(log)) {}

bool SweepRun::read() {
  const auto before = reporter_.reports().empty() ? -1 : reporter_.reports().back().step;
  for (const std::string& line : process_.readLines()) take(line);
  point_.step = std::max(point_.step, reporter_.step());
  point_.objective = reporter_.value();
  return !reporter_.reports().empty() && reporter_.reports().back().step != before;
}

void SweepRun::take(const std::string& line) {
  const auto event = run::parseEvent(line);
  if (!event.ok()) return;  // the run's own words; they are in its log as well
  if (const auto* started = std::get_if<run::StartedEvent>(&event->body)) point_.run = started->run;
  if (const auto* failure = std::get_if<run::FailureEvent>(&event->body); failure && failure_.empty()) failure_ = failure->message;
  reporter_.take(*event);
}

void SweepRun::stop() {
  isStopping_ = true;
  process_.signal(SIGTERM);
}

void SweepRun::stopEarly(const std::string& reason) {
  earlyReason_ = reason;
  stop();
}

void SweepRun::judgeEnd(int waitStatus) {
  const int code = WIFEXITED(waitStatus) ? WEXITSTATUS(waitStatus) : -1;
  if (code == static_cast<int>(run::ExitCode::Done)) {
    point_.state = PointState::Completed;
  } else if (code == static_cast<int>(run::ExitCode::Stopped)) {
    point_.state = earlyReason_.empty() ? PointState::Stopped : PointState::StoppedEarly;
    point_.reason = earlyReason_;
  } else {
    point_.state = code == static_cast<int>(run::ExitCode::Refused) ? PointState::Refused : PointState::Failed;
    point_.reason = failure_;
    if (code < 0) point_.reason = std::string("its agent was ended by ") + ::strsignal(WTERMSIG(waitStatus));
    if (point_.reason.empty()) point_.reason = launch::logTail(log_, 0, kTailLines);
    if (point_.reason.empty()) point_.reason = "it ended with code " + std::to_string(code) + " and said nothing";
  }
}

std::optional<storage::SweepPoint> SweepRun::ended() {
  const auto status = process_.reap();
  if (!status) return std::nullopt;
  read();
  judgeEnd(*status);
  return point_;
}

double SweepRun::seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count(); }

}  // namespace tidemark::cli
