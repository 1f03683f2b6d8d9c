#include "app/cli/report_files.h"

#include <unistd.h>

#include "app/cli/words.h"
#include "core/base/file.h"

namespace tidemark::cli {
namespace fs = std::filesystem;
namespace {

std::string hostName() {
  char buffer[256] = {};
  return ::gethostname(buffer, sizeof buffer - 1) == 0 ? buffer : "";
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

// A database of this one run, read from its directory, gone with this object.
class TemporaryStore {
 public:
  explicit TemporaryStore(const fs::path& directory)
      : path_(directory / "report" / ("index.tmp-" + std::to_string(::getpid()))) {}
  ~TemporaryStore() {
    store_.reset();
    std::error_code error;
    for (const char* suffix : {"", "-journal", "-wal", "-shm"}) fs::remove(path_.string() + suffix, error);
  }
  Result<storage::RunStore*> open() {
    TIDEMARK_ASSIGN(store_, storage::RunStore::open(path_));
    return store_.get();
  }

 private:
  fs::path path_;
  std::unique_ptr<storage::RunStore> store_;
};

Status writeAll(const storage::RunStore& store, const std::string& runId, const fs::path& folder) {
  TIDEMARK_ASSIGN(const auto record, store.run(runId));
  TIDEMARK_ASSIGN(const auto report, collectReport(store, record));
  for (const char* name : {"report.html", "report.json", "report.csv"})
    TIDEMARK_TRY(writeReport(report, folder / name));
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
  report.host = hostName();
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

Status writeReport(const report::RunReport& report, const fs::path& target) {
  const auto suffix = target.extension().string();
  if (suffix == ".html" || suffix == ".htm") return writeFileAtomically(target, report::toHtml(report));
  if (suffix == ".csv") return writeFileAtomically(target, report::toCsv(report));
  if (suffix == ".json") return writeFileAtomically(target, report::toJson(report));
  return Error{ErrorCode::Unsupported, target.string(), "the suffix must be .html, .pdf, .csv or .json"};
}

Status writeRunReports(storage::RunStore* store, const std::string& runId, const fs::path& directory) {
  std::error_code error;
  const auto folder = directory / "report";
  fs::create_directories(folder, error);
  if (error) return Error{ErrorCode::Io, folder.string(), error.message()};
  if (store) {
    if (const auto written = writeAll(*store, runId, folder); written.ok()) return {};
  }
  TemporaryStore temporary(directory);
  TIDEMARK_ASSIGN(auto* other, temporary.open());
  TIDEMARK_ASSIGN(const auto id, other->importDirectory(directory));
  return writeAll(*other, id, folder);
}

}  // namespace tidemark::cli
