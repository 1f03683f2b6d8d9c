#include "app/cli/supervision.h"

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <optional>
#include <utility>

#include "app/cli/event_feed.h"
#include "app/cli/progress.h"
#include "app/cli/recovery.h"
#include "app/cli/report_files.h"
#include "app/cli/table.h"
#include "app/cli/words.h"
#include "core/base/printable.h"

namespace tidemark::cli {
namespace {

constexpr size_t kNameColumns = 80;

// What the last words need to know.
struct Ending {
  std::optional<run::FailureEvent> failure;
  std::optional<run::FinishedEvent> finished;
  int64_t microBatch = 0;  // of the last plan
};

void remember(const std::vector<run::Event>& events, Ending& ending) {
  for (const auto& event : events) {
    if (const auto* failure = std::get_if<run::FailureEvent>(&event.body)) ending.failure = *failure;
    if (const auto* finished = std::get_if<run::FinishedEvent>(&event.body)) ending.finished = *finished;
    if (const auto* plan = std::get_if<run::PlanEvent>(&event.body)) ending.microBatch = plan->microBatch;
  }
}

void printEvents(const std::vector<run::Event>& events) {
  for (const auto& event : events) printData(run::toJsonLine(event));
  std::fflush(stdout);
}

// By its directory, which is found whatever database the next command opens.
std::string howToResume(const launch::AgentSettings& settings) {
  std::error_code ignored;
  const bool hasCheckpoint = std::filesystem::exists(settings.directory / "checkpoints", ignored) &&
                             !std::filesystem::is_empty(settings.directory / "checkpoints", ignored);
  return "`tidemark-cli resume " + oneLine(settings.directory.string()) + "` " +
         (hasCheckpoint ? "goes on from the last checkpoint." : "starts anew from the first step: no checkpoint was written yet.");
}

// Where the ranks' own words do not say it: a budget that is too small is told with what would do.
std::string nextStepFor(const launch::AgentSettings& settings, run::ExitCode code) {
  const std::string logs = "\n  The logs of all ranks are in " + oneLine((settings.directory / "log").string()) + ".";
  switch (code) {
    case run::ExitCode::OutOfMemory:
      return "";
    case run::ExitCode::RankLost:
      return logs + " " + howToResume(settings);
    case run::ExitCode::Refused:
      return "\n  Change what is named here and start again.";
    default:
      return logs;
  }
}

void sayEnd(const launch::AgentSettings& settings, const Ending& ending, run::ExitCode code) {
  if (ending.failure) say("error: " + ending.failure->message + nextStepFor(settings, code));
  if (code == run::ExitCode::Stopped)
    say("Stopped. " + howToResume(settings));
}

void printSummary(const launch::AgentSettings& settings, const Ending& ending, const std::filesystem::path& report) {
  print("run        " + settings.runId + (settings.name.empty() ? "" : "  " + elided(settings.name, kNameColumns)));
  if (ending.finished) print("status     " + ending.finished->status);
  if (ending.finished && !ending.finished->adapter.empty()) print("adapter    " + ending.finished->adapter);
  if (!report.empty()) print("report     " + report.string());
  print("directory  " + settings.directory.string());
}

// Empty: could not be written, which was said.
std::filesystem::path writeReports(const launch::AgentSettings& settings, storage::RunStore* store) {
  const auto written = writeRunReports(store, settings.runId, settings.directory);
  if (written.ok()) return settings.directory / "report" / "report.html";
  warn("the report could not be written: " + written.error().message());
  return {};
}

void announceAgent(const launch::AgentSettings& settings, storage::RunStore* store) {
  if (!store) return;
  const auto known = store->setAgent(settings.runId, ::getpid(), launch::processStartTicks(::getpid()));
  if (!known.ok())
    warn("the database does not know of this agent, so `stop` will not find it: " + known.error().message());
}

}  // namespace

run::ExitCode supervise(const launch::AgentSettings& first, storage::RunStore* store, Output output) {
  std::signal(SIGPIPE, SIG_IGN);  // whoever reads the progress may leave; the run goes on
  launch::AgentSettings settings = first;
  EventFeed feed(store, settings.runId);
  Progress progress(Progress::styleOfStderr(), settings.config.training.maxSteps);
  Ending ending;
  bool isAnnounced = false;
  const auto sink = [&](int64_t firstNumber, const std::vector<run::Event>& events) {
    if (!std::exchange(isAnnounced, true)) announceAgent(settings, store);  // the run directory's lock is ours now
    remember(events, ending);
    feed.take(firstNumber, events);
    if (output == Output::Json) return printEvents(events);
    progress.take(events);
  };
  auto ended = launch::superviseRun(settings, sink);
  while (ended.ok() && *ended == run::ExitCode::OutOfMemory) {
    const int64_t microBatch = std::max(settings.config.training.microBatchSize, ending.microBatch);
    const auto smaller = smallerMicroBatch(settings.config, microBatch);
    if (!smaller) break;
    auto next = withMicroBatch(settings, *smaller, microBatch);
    if (!next.ok()) {
      warn("the run cannot go on with smaller micro-batches: " + next.error().message());
      break;
    }
    if (output == Output::Words && ending.failure) say("Out of memory: " + ending.failure->message);
    settings = std::move(next).value();
    ending = {};
    ended = launch::superviseRun(settings, sink);
  }
  feed.finish();
  if (output == Output::Words) progress.finish();
  if (!ended.ok()) {
    if (store && !ending.finished && !first.isResume) {
      if (const auto status = store->setStatus(settings.runId, storage::RunStatus::Failed); !status.ok()) {
        warn("the database still shows the run as it was: " + status.error().message());
      }
    }
    return fail("the run could not be carried out", run::Concern::RunFiles, ended.error(),
                ending.failure ? Output::Words : output);
  }
  const auto report = writeReports(settings, store);
  sayEnd(settings, ending, *ended);
  if (output == Output::Words) printSummary(settings, ending, report);
  return *ended;
}

}  // namespace tidemark::cli
