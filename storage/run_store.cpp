#include "storage/run_store.h"

#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>

#include "core/base/printable.h"
#include "storage/migrations.h"
#include "storage/run_id.h"
#include "storage/run_rows.h"
#include "storage/store_impl.h"

namespace tidemark::storage {
namespace fs = std::filesystem;

namespace {

constexpr size_t kMostListed = 20;

double now() { return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count(); }

// One path for one folder, as far as it exists.
std::string normalised(const fs::path& path) {
  std::error_code failure;
  const fs::path canonical = fs::weakly_canonical(path, failure);
  std::string text = failure ? path.lexically_normal().string() : canonical.string();
  while (text.size() > 1 && text.ends_with('/')) text.pop_back();
  return text;
}

// A pattern that finds `text` anywhere, whatever characters it has.
std::string likePattern(const std::string& text) {
  std::string pattern = "%";
  for (const char c : text) {
    if (c == '%' || c == '_' || c == '\\') pattern += '\\';
    pattern += c;
  }
  return pattern + "%";
}

std::vector<RunRecord> readAll(Query& query) {
  std::vector<RunRecord> found;
  while (query.next()) found.push_back(readRun(query));
  return found;
}

// Lists the runs that `wanted` may mean, the newest first.
Error ambiguous(const std::string& wanted, const std::string& how, const std::vector<RunRecord>& runs) {
  std::string detail = how + " " + std::to_string(runs.size()) + " runs; give the id or the directory of one:";
  for (size_t i = 0; i < std::min(runs.size(), kMostListed); ++i)
    detail += "\n" + runs[i].id + "  " + statusName(runs[i].status) + "  " + oneLine(runs[i].directory);
  if (runs.size() > kMostListed) detail += "\nand " + std::to_string(runs.size() - kMostListed) + " more";
  return {ErrorCode::InvalidInput, wanted, detail};
}

Error noSuchRun(const std::string& id) { return {ErrorCode::NotFound, "run " + id, "is not in the database"}; }

}  // namespace

RunStore::RunStore(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
RunStore::~RunStore() = default;

fs::path RunStore::defaultPath() {
  const char* data = std::getenv("XDG_DATA_HOME");
  if (data && fs::path(data).is_absolute()) return fs::path(data) / "tidemark" / "tidemark.db";
  const char* home = std::getenv("HOME");
  if (!home || !*home) {
    const passwd* user = ::getpwuid(::getuid());
    home = user ? user->pw_dir : "/";
  }
  return fs::path(home) / ".local" / "share" / "tidemark" / "tidemark.db";
}

Result<std::unique_ptr<RunStore>> RunStore::open(const fs::path& database) {
  std::error_code failure;
  if (database.has_parent_path()) fs::create_directories(database.parent_path(), failure);
  if (failure) return Error{ErrorCode::Io, database.parent_path().string(), "cannot be created: " + failure.message()};
  return guarded(database.string(), [&]() -> Result<std::unique_ptr<RunStore>> {
    auto impl = std::make_unique<Impl>(database);
    TIDEMARK_TRY(migrate(impl->database, database, migrations()));
    return std::unique_ptr<RunStore>(new RunStore(std::move(impl)));
  });
}

Result<std::string> RunStore::createRun(const RunRecord& given, const std::vector<std::pair<std::string, std::string>>& values) {
  return guarded(impl_->path, [&]() -> Result<std::string> {
    RunRecord run = given;
    if (run.id.empty()) run.id = newRunId();
    if (run.createdAt == 0) run.createdAt = now();
    if (!run.directory.empty()) run.directory = normalised(run.directory);
    Database& db = impl_->database;
    Transaction transaction(db, Transaction::Kind::Write);
    {
      Query insert = db.query("INSERT INTO runs (" TIDEMARK_RUN_COLUMNS ") VALUES "
                              "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
      bindRun(insert, run);
      insert.run();
    }
    const int64_t number = db.connection().getLastInsertRowid();
    int64_t position = 0;
    for (const auto& [key, value] : values)
      db.query("INSERT INTO hyperparameters VALUES (?, ?, ?, ?)").bind(number, position++, key, value).run();
    db.query("INSERT INTO events_applied VALUES (?, 0, 0, 0)").bind(number).run();
    transaction.commit();
    return run.id;
  });
}

Result<RunRecord> RunStore::run(const std::string& id) const {
  return guarded(impl_->path, [&]() -> Result<RunRecord> {
    Query query = impl_->database.query("SELECT " TIDEMARK_RUN_COLUMNS " FROM runs WHERE id = ?");
    if (!query.bind(id).next()) return noSuchRun(id);
    return readRun(query);
  });
}

// What matches exactly goes before a prefix, so that no name can be mistaken for another run's id.
Result<RunRecord> RunStore::findRun(const std::string& wanted) const {
  if (wanted.empty()) return Error{ErrorCode::NotFound, "", "the run's id, name or directory is empty"};
  return guarded(impl_->path, [&]() -> Result<RunRecord> {
    Query byId = impl_->database.query("SELECT " TIDEMARK_RUN_COLUMNS " FROM runs WHERE id = ?");
    if (byId.bind(wanted).next()) return readRun(byId);
    Query byName = impl_->database.query("SELECT " TIDEMARK_RUN_COLUMNS " FROM runs WHERE name = ? ORDER BY created_at DESC, id DESC");
    const auto named = readAll(byName.bind(wanted));
    if (named.size() == 1) return named.front();
    if (named.size() > 1) return ambiguous(wanted, "is the name of", named);
    Query byDirectory = impl_->database.query(
        "SELECT " TIDEMARK_RUN_COLUMNS " FROM runs WHERE directory = ? ORDER BY created_at DESC, id DESC LIMIT 1");
    if (byDirectory.bind(normalised(wanted)).next()) return readRun(byDirectory);
    std::string prefix = wanted;
    std::transform(prefix.begin(), prefix.end(), prefix.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    Query byPrefix = impl_->database.query(
        "SELECT " TIDEMARK_RUN_COLUMNS " FROM runs WHERE substr(id, 1, length(?1)) = ?1 ORDER BY created_at DESC, id DESC");
    const auto begun = readAll(byPrefix.bind(prefix));
    if (begun.size() == 1) return begun.front();
    if (begun.size() > 1) return ambiguous(wanted, "begins the ids of", begun);
    return Error{ErrorCode::NotFound, wanted, "is no run's id, name or directory; `tidemark-cli runs` lists them"};
  });
}

Result<std::vector<RunRecord>> RunStore::runs(const RunQuery& wanted) const {
  return guarded(impl_->path, [&]() -> Result<std::vector<RunRecord>> {
    Query query = impl_->database.query(
        "SELECT " TIDEMARK_RUN_COLUMNS " FROM runs WHERE (?1 OR archived = 0) AND (?2 IS NULL OR status = ?2) "
        "AND (?3 = '' OR name LIKE ?4 ESCAPE '\\' OR model LIKE ?4 ESCAPE '\\' OR dataset LIKE ?4 ESCAPE '\\') "
        "ORDER BY created_at DESC, id DESC LIMIT ?5");
    const std::optional<std::string> status = wanted.status ? std::optional<std::string>(statusName(*wanted.status)) : std::nullopt;
    query.bind(wanted.includesArchived, status, wanted.search, likePattern(wanted.search), wanted.limit);
    return readAll(query);
  });
}

Status RunStore::setAgent(const std::string& id, int64_t pid, int64_t startTicks) {
  return guarded(impl_->path, [&]() -> Status {
    Query update = impl_->database.query("UPDATE runs SET agent_pid = ?, agent_start_ticks = ? WHERE id = ?");
    if (update.bind(pid, startTicks, id).run() == 0) return noSuchRun(id);
    return {};
  });
}

Status RunStore::setStatus(const std::string& id, RunStatus status) {
  return guarded(impl_->path, [&]() -> Status {
    const bool yieldsToEnd = status == RunStatus::Stopping || status == RunStatus::Lost;
    Query update = impl_->database.query(
        "UPDATE runs SET status = CASE WHEN ?1 AND status IN ('completed', 'stopped', 'failed') THEN status ELSE ?2 END "
        "WHERE id = ?3");
    if (update.bind(yieldsToEnd, statusName(status), id).run() == 0) return noSuchRun(id);
    return {};
  });
}

Status RunStore::rename(const std::string& id, const std::string& name) {
  return guarded(impl_->path, [&]() -> Status {
    Query update = impl_->database.query("UPDATE runs SET name = ? WHERE id = ?");
    if (update.bind(name, id).run() == 0) return noSuchRun(id);
    return {};
  });
}

Status RunStore::deleteRun(const std::string& id) {
  return guarded(impl_->path, [&]() -> Status {
    Transaction transaction(impl_->database, Transaction::Kind::Write);
    if (impl_->database.query("DELETE FROM runs WHERE id = ?").bind(id).run() == 0) return noSuchRun(id);
    transaction.commit();
    return {};
  });
}

int64_t RunStore::changeCounter() const {
  Impl& impl = *impl_;
  try {
    // A poll must not wait for a writer: while one commits, the counter stays, and grows at the next call.
    SQLite::Database& connection = impl.database.connection();
    connection.setBusyTimeout(0);
    Query query = impl.database.query("PRAGMA data_version");
    const int64_t version = query.next() ? query.integer(0) : impl.seenVersion;
    connection.setBusyTimeout(kBusyTimeoutMs);
    const int64_t changes = connection.getTotalChanges();
    if (version != impl.seenVersion || changes != impl.seenChanges) ++impl.changes;
    impl.seenVersion = version;
    impl.seenChanges = changes;
  } catch (const SQLite::Exception&) {
    impl.database.connection().setBusyTimeout(kBusyTimeoutMs);
  }
  return impl.changes;
}

}  // namespace tidemark::storage
