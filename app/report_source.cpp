#include "app/report_source.h"

#include <sys/utsname.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "core/base/local_time.h"

namespace tidemark::app {
namespace {

constexpr std::streamsize kMostFirstLine = 1 << 16;

std::string hostName() {
  char buffer[256] = {};
  return ::gethostname(buffer, sizeof buffer - 1) == 0 ? buffer : "";
}

std::string systemName() {
  utsname name{};
  return ::uname(&name) == 0 ? std::string(name.sysname) + " " + name.release + " " + name.machine : "";
}

// The version that started the run: only its event log has it. Empty: the run directory is gone.
std::string versionOf(const std::string& directory) {
  std::ifstream events(std::filesystem::path(directory) / "events.jsonl");
  std::string line(static_cast<size_t>(kMostFirstLine), '\0');
  if (!events.getline(line.data(), kMostFirstLine)) return "";
  line.resize(static_cast<size_t>(events.gcount()) - 1);
  const auto event = run::parseEvent(line);
  const auto* started = event.ok() ? std::get_if<run::StartedEvent>(&event->body) : nullptr;
  return started ? started->version : "";
}

Status addTimelines(const storage::RunStore& store, report::RunReport& report) {
  TIDEMARK_ASSIGN(const auto iterations, store.timelineIterations(report.id, 0));
  if (iterations.empty()) return {};
  TIDEMARK_ASSIGN(report.firstTimeline, store.timeline(report.id, 0, iterations.front()));
  TIDEMARK_ASSIGN(report.lastTimeline, store.timeline(report.id, 0, iterations.back()));
  return {};
}

Status addRanks(const storage::RunStore& store, int64_t ranks, report::RunReport& report) {
  if (report.steps.empty()) return {};
  for (int64_t rank = 0; rank < ranks; ++rank) {
    TIDEMARK_ASSIGN(const auto steps, store.steps(report.id, rank, report.steps.back().step - 1));
    if (!steps.empty()) report.lastStepOfRank.emplace_back(rank, steps.back());
  }
  return {};
}

}  // namespace

Result<report::RunReport> collectReport(const storage::RunStore& store, const storage::RunRecord& record) {
  report::RunReport report;
  report.id = record.id;
  report.name = record.name;
  report.status = storage::statusName(record.status);
  report.model = record.model;
  report.dataset = record.dataset;
  report.createdAt = localTime(record.createdAt);
  report.tidemarkVersion = TIDEMARK_VERSION;
  report.trainedBy = versionOf(record.directory);
  report.host = hostName();
  report.system = systemName();
  TIDEMARK_ASSIGN(report.hyperparameters, store.hyperparameters(record.id));
  TIDEMARK_ASSIGN(report.modelFacts, store.model(record.id));
  TIDEMARK_ASSIGN(report.datasetFacts, store.dataset(record.id));
  TIDEMARK_ASSIGN(report.operators, store.operators(record.id, 0));
  TIDEMARK_ASSIGN(report.plans, store.plans(record.id, 0));
  TIDEMARK_ASSIGN(report.steps, store.steps(record.id, 0, -1));
  TIDEMARK_ASSIGN(report.evaluations, store.evaluations(record.id));
  TIDEMARK_TRY(addTimelines(store, report));
  TIDEMARK_TRY(addRanks(store, record.ranks, report));
  return report;
}

}  // namespace tidemark::app
