#include "core/launch/supervisor.h"

#include <poll.h>
#include <sys/wait.h>

#include <algorithm>
#include <csignal>
#include <thread>

#include "core/base/printable.h"
#include "core/launch/log_tail.h"

namespace tidemark::launch {
namespace {

using run::ExitCode;

constexpr int kPollMs = 200;  // also finds a rank's end where another thread has swallowed SIGCHLD
constexpr int kTailLines = 10;
constexpr int64_t kReportedBadLines = 5;

std::filesystem::path logFile(const AgentSettings& settings, int64_t rank) {
  return settings.directory / "log" / ("rank-" + std::to_string(rank) + ".log");
}

WorkerCommand commandOf(const AgentSettings& settings, int64_t rank, int64_t masterPort, const sigset_t& mask) {
  const auto ranks = std::to_string(settings.config.parallel.ranks);
  const auto number = std::to_string(rank);
  WorkerCommand command{settings.worker,
                        {(settings.directory / "config.yaml").string()},
                        {},
                        {"TIDEMARK_RESUME"},
                        logFile(settings, rank),
                        mask};
  command.environment = {{"RANK", number},
                         {"LOCAL_RANK", number},
                         {"WORLD_SIZE", ranks},
                         {"LOCAL_WORLD_SIZE", ranks},
                         {"MASTER_ADDR", "127.0.0.1"},
                         {"MASTER_PORT", std::to_string(masterPort)},
                         {"OMP_NUM_THREADS", std::to_string(settings.config.parallel.threadsPerRank)},
                         {"TIDEMARK_RUN_DIR", settings.directory.string()},
                         {"TIDEMARK_EVENT_FD", "3"}};
  if (settings.isResume) command.environment.emplace_back("TIDEMARK_RESUME", "1");
  return command;
}

std::string completeAdapter(const std::filesystem::path& directory) {
  const auto adapter = directory / "adapter";
  std::error_code error;
  const bool isComplete = std::filesystem::exists(adapter / "adapter_config.json", error) &&
                          std::filesystem::exists(adapter / "adapter_model.safetensors", error);
  return isComplete ? adapter.string() : "";
}

const char* statusOf(ExitCode code) {
  if (code == ExitCode::Done) return "completed";
  return code == ExitCode::Stopped ? "stopped" : "failed";
}

}  // namespace

Supervisor::Supervisor(const AgentSettings& settings, const EventSink& sink, AgentSignals& signals, EventLog& log)
    : settings_(settings), sink_(sink), signals_(signals), log_(log), knownChildren_(childProcesses()) {}

Supervisor::~Supervisor() {
  for (auto& rank : ranks_) rank.signal(SIGKILL);
  endStrayChildren(knownChildren_);
}

Result<ExitCode> Supervisor::run(int64_t masterPort) {
  record(-1, run::StartedEvent{settings_.runId, settings_.name, settings_.directory.string(), TIDEMARK_VERSION,
                               settings_.config.parallel.ranks, settings_.isResume});
  for (const auto& body : settings_.openingEvents) record(-1, body);
  if (auto started = startRanks(masterPort); !started.ok()) {
    for (auto& rank : ranks_) rank.signal(SIGKILL);
    endStrayChildren(knownChildren_);
    TIDEMARK_TRY(finish({ExitCode::Failed, -1, "failed", started.error().message()}));
    return started.error();
  }
  while (isAnyLeft()) {
    waitForNews();
    takeSignals();
    for (size_t rank = 0; rank < ranks_.size(); ++rank) readEvents(static_cast<int64_t>(rank));
    reapRanks();
    escalate();
    flush(EventLog::When::Due);
  }
  for (auto& rank : ranks_) rank.signal(SIGKILL);  // what is left of the groups
  endStrayChildren(knownChildren_);
  for (size_t rank = 0; rank < ranks_.size(); ++rank) readEvents(static_cast<int64_t>(rank));
  const auto verdict = judge(ends_, stop_);
  TIDEMARK_TRY(finish(verdict));
  return verdict.exitCode;
}

Status Supervisor::startRanks(int64_t masterPort) {
  const auto ranks = settings_.config.parallel.ranks;
  ranks_.reserve(static_cast<size_t>(ranks));
  for (int64_t rank = 0; rank < ranks; ++rank) {
    auto process = WorkerProcess::start(commandOf(settings_, rank, masterPort, signals_.maskForRanks()));
    if (!process.ok()) return process.error().within("starting rank " + std::to_string(rank));
    ranks_.push_back(std::move(process).value());
  }
  return {};
}

bool Supervisor::isAnyLeft() const {
  return std::any_of(ranks_.begin(), ranks_.end(), [](const auto& rank) { return !rank.isReaped(); });
}

void Supervisor::waitForNews() {
  std::vector<pollfd> handles{{signals_.handle(), POLLIN, 0}};
  for (const auto& rank : ranks_) {
    if (rank.eventHandle() >= 0) handles.push_back({rank.eventHandle(), POLLIN, 0});
  }
  ::poll(handles.data(), handles.size(), kPollMs);
}

void Supervisor::takeSignals() {
  for (int requests = signals_.takeStopRequests(); requests > 0; --requests) {
    if (stop_ != StopRequest::None || stage_ == Stage::Ending) {
      if (stop_ != StopRequest::None) stop_ = StopRequest::AtOnce;
      endRanks(Stage::Killed);
      continue;
    }
    stop_ = StopRequest::AtCheckpoint;
    record(-1, run::LogEvent{"info", "asked to stop: the ranks write a checkpoint after their present step"});
    for (auto& rank : ranks_) rank.signal(SIGTERM);
  }
}

void Supervisor::readEvents(int64_t rank) {
  for (const auto& line : ranks_[static_cast<size_t>(rank)].readLines()) takeLine(rank, line);
}

void Supervisor::takeLine(int64_t rank, const std::string& line) {
  auto event = run::parseEvent(line);
  const bool isForAgent = event.ok() && (std::holds_alternative<run::StartedEvent>(event->body) ||
                                         std::holds_alternative<run::FinishedEvent>(event->body));
  if (!event.ok() || isForAgent) {
    if (++badLines_[rank] > kReportedBadLines) return;
    const auto why = isForAgent ? "only the agent writes this event" : event.error().message();
    record(rank, run::LogEvent{"warning", "a line in the event pipe was left out: " + why + ": " +
                                              printable(line.substr(0, 200))});
    return;
  }
  if (event->time <= 0) event->time = run::makeEvent(rank, run::LogEvent{}).time;
  event->rank = rank;
  if (const auto* failure = std::get_if<run::FailureEvent>(&event->body)) {
    failures_.emplace(rank, *failure);
    return;
  }
  log_.append(*event);
}

void Supervisor::reapRanks() {
  for (size_t i = 0; i < ranks_.size(); ++i) {
    const auto status = ranks_[i].reap();
    if (!status) continue;
    readEvents(static_cast<int64_t>(i));  // what it wrote last
    const int sent = stage_ == Stage::Killed                                 ? SIGKILL
                     : stage_ == Stage::Ending || stop_ != StopRequest::None ? SIGTERM
                                                                             : 0;
    ends_.push_back({static_cast<int64_t>(i), *status, sent});
    if (!isAnyLeft() || stage_ != Stage::Running) continue;
    if (isFailure(ends_.back())) {
      endRanks(Stage::Ending);
    } else if (!deadline_) {
      deadline_ = Clock::now() + std::chrono::seconds(settings_.stragglerSeconds);
    }
  }
}

void Supervisor::endRanks(Stage stage) {
  stage_ = stage;
  for (auto& rank : ranks_) rank.signal(stage == Stage::Ending ? SIGTERM : SIGKILL);
  deadline_.reset();
  if (stage == Stage::Ending) deadline_ = Clock::now() + std::chrono::seconds(settings_.graceSeconds);
}

void Supervisor::escalate() {
  if (!deadline_ || Clock::now() < *deadline_) return;
  endRanks(stage_ == Stage::Running ? Stage::Ending : Stage::Killed);
}

void Supervisor::record(int64_t rank, run::EventBody body) { log_.append(run::makeEvent(rank, std::move(body))); }

void Supervisor::flush(EventLog::When when) {
  auto batch = log_.flush(when);
  if (!batch.ok()) {
    logError_ = batch.error();  // the next flush tries again; finish() reports what could not be mended
    return;
  }
  logError_.reset();
  if (!batch->events.empty()) sink_(batch->firstNumber, batch->events);
}

// A run has one failure event: the cause. What other ranks said of it goes to the log.
void Supervisor::recordFailure(const Verdict& verdict) {
  const bool isFailed = verdict.exitCode != ExitCode::Done && verdict.exitCode != ExitCode::Stopped;
  const auto own = failures_.find(verdict.rank);
  const bool isOwnWord = isFailed && own != failures_.end() && verdict.hasOwnWord;
  for (const auto& [rank, failure] : failures_) {
    if (isOwnWord && rank == verdict.rank) continue;
    record(-1, run::LogEvent{"error", "rank " + std::to_string(rank) + ": " + failure.message});
  }
  if (isOwnWord) return record(verdict.rank, own->second);
  if (!isFailed) return;
  auto message = verdict.reason;
  if (verdict.rank >= 0) {
    const auto begin = ranks_[static_cast<size_t>(verdict.rank)].logBegin();
    const auto tail = logTail(logFile(settings_, verdict.rank), begin, kTailLines);
    const auto name = "log/rank-" + std::to_string(verdict.rank) + ".log";
    message += tail.empty() ? "; " + name + " is empty" : "; the last lines of " + name + ":\n" + tail;
  }
  record(-1, run::FailureEvent{verdict.failureCode, message});
}

Status Supervisor::finish(const Verdict& verdict) {
  recordFailure(verdict);
  if (verdict.lacksCheckpoint) {
    record(-1, run::LogEvent{"warning",
                             "ended before all ranks had written a checkpoint; resuming starts from the last one"});
  }
  record(-1, run::FinishedEvent{settings_.runId, statusOf(verdict.exitCode), completeAdapter(settings_.directory),
                                static_cast<int64_t>(verdict.exitCode)});
  for (int attempt = 0; attempt < 10 && log_.hasPending(); ++attempt) {
    if (attempt > 0) std::this_thread::sleep_for(std::chrono::milliseconds(500));
    flush(EventLog::When::Now);
  }
  if (logError_) return logError_->within("the last events of the run could not be written");
  return {};
}

}  // namespace tidemark::launch
