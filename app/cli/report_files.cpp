#include "app/cli/report_files.h"

#include <unistd.h>

#include "app/report_source.h"
#include "core/base/file.h"

namespace tidemark::cli {
namespace fs = std::filesystem;
namespace {

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
  TIDEMARK_ASSIGN(const auto report, app::collectReport(store, record));
  for (const char* name : {"report.html", "report.json", "report.csv"})
    TIDEMARK_TRY(writeReport({report}, folder / name));
  return {};
}

}  // namespace

Status writeReport(const report::RunReports& reports, const fs::path& target) {
  const auto suffix = target.extension().string();
  if (suffix == ".html" || suffix == ".htm") return writeFileAtomically(target, report::toHtml(reports));
  if (suffix == ".csv") return writeFileAtomically(target, report::toCsv(reports));
  if (suffix == ".json") return writeFileAtomically(target, report::toJson(reports));
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
