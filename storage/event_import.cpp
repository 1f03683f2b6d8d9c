// RunStore's way from events to tables: given by the agent, or read from a run's events.jsonl.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>

#include "core/base/file.h"
#include "core/run/config.h"
#include "core/run/model_name.h"
#include "storage/event_writer.h"
#include "storage/run_id.h"
#include "storage/run_rows.h"
#include "storage/store_impl.h"

namespace tidemark::storage {
namespace fs = std::filesystem;

namespace {

constexpr size_t kChunkBytes = 4 << 20;    // of events.jsonl in one transaction
constexpr size_t kMaxLineBytes = 64 << 20;

// How far a run's events are applied, and one place in its events.jsonl where reading can begin.
struct Progress {
  int64_t run = 0;
  int64_t lines = 0;                        // lines 0 .. lines - 1 are applied
  int64_t knownLine = 0, knownOffset = 0;   // line knownLine begins at byte knownOffset
  std::string directory;
};

Result<Progress> progressOf(Database& db, const std::string& runId) {
  Query query = db.query("SELECT number, lines, known_line, known_offset, directory FROM runs "
                         "JOIN events_applied ON run = number WHERE id = ?");
  if (!query.bind(runId).next()) return Error{ErrorCode::NotFound, "run " + runId, "is not in the database"};
  return Progress{query.integer(0), query.integer(1), query.integer(2), query.integer(3), query.text(4)};
}

struct NumberedEvents {
  int64_t firstLine = 0;
  std::vector<std::optional<run::Event>> events;  // empty: a blank line, or one that is applied already
  int64_t endOffset = -1;                         // where the next line begins in the file; -1: not known
};

// Applies in one transaction what is not applied yet. Returns the number of lines.
Result<int64_t> applyNew(Database& db, const std::string& runId, const NumberedEvents& numbered) {
  Transaction transaction(db, Transaction::Kind::Write);
  TIDEMARK_ASSIGN(const Progress progress, progressOf(db, runId));
  EventWriter writer(db, progress.run);
  int64_t line = numbered.firstLine, applied = 0;
  for (const auto& event : numbered.events) {
    if (line >= progress.lines) {
      if (event) writer.apply(line, *event);
      ++applied;
    }
    ++line;
  }
  if (applied > 0) writer.refreshSummary();
  const bool isFurther = numbered.endOffset >= 0 && line > progress.knownLine;
  db.query("UPDATE events_applied SET lines = ?, known_line = ?, known_offset = ? WHERE run = ?")
      .bind(std::max(line, progress.lines), isFurther ? line : progress.knownLine,
            isFurther ? numbered.endOffset : progress.knownOffset, progress.run).run();
  transaction.commit();
  return applied;
}

class OpenFile {
 public:
  explicit OpenFile(const fs::path& path) : handle_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  ~OpenFile() { if (handle_ >= 0) ::close(handle_); }
  int handle() const { return handle_; }

 private:
  int handle_;
};

Error fileError(const fs::path& path, const std::string& what) {
  return {errno == ENOENT ? ErrorCode::NotFound : ErrorCode::Io, path.string(), what + ": " + std::strerror(errno)};
}

// Up to `size` bytes from `offset` on.
Result<std::string> readAt(const OpenFile& file, const fs::path& path, int64_t offset, size_t size) {
  std::string bytes(size, '\0');
  size_t filled = 0;
  while (filled < size) {
    const ssize_t n = ::pread(file.handle(), bytes.data() + filled, size - filled, offset + static_cast<int64_t>(filled));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return fileError(path, "cannot read");
    if (n == 0) break;
    filled += static_cast<size_t>(n);
  }
  bytes.resize(filled);
  return bytes;
}

// The whole lines from `offset` on, about kChunkBytes of them; a half line at the end waits for its rest.
Result<std::string> readLines(const fs::path& path, int64_t offset) {
  const OpenFile file(path);
  if (file.handle() < 0) {
    if (errno == ENOENT && offset == 0) return std::string();  // a run that has not begun
    return fileError(path, "cannot open");
  }
  struct stat info {};
  if (::fstat(file.handle(), &info) != 0) return fileError(path, "cannot stat");
  if (info.st_size < offset)
    return Error{ErrorCode::InvalidInput, path.string(), "is shorter than what was read from it before"};
  for (size_t size = kChunkBytes; size <= kMaxLineBytes; size *= 2) {
    TIDEMARK_ASSIGN(std::string bytes, readAt(file, path, offset, size));
    const size_t end = bytes.rfind('\n');
    if (end != std::string::npos) return bytes.substr(0, end + 1);
    if (bytes.size() < size) return std::string();
  }
  return Error{ErrorCode::InvalidInput, path.string(), "has a line of more than 64 MiB"};
}

// Lines that cannot be understood are kept as warnings in the run's log, so that one of them does not hold up the rest.
std::optional<run::Event> eventFrom(const std::string& line, int64_t number) {
  if (line.find_first_not_of(" \t\r") == std::string::npos) return std::nullopt;
  auto event = run::parseEvent(line);
  if (event.ok()) return std::move(event).value();
  return run::makeEvent(-1, run::LogEvent{"warning", "events.jsonl, line " + std::to_string(number + 1) +
                                                         ", was skipped: " + event.error().message()});
}

NumberedEvents parseLines(const std::string& text, const Progress& progress) {
  NumberedEvents numbered{progress.knownLine, {}, progress.knownOffset + static_cast<int64_t>(text.size())};
  int64_t number = progress.knownLine;
  for (size_t start = 0; start < text.size(); ++number) {
    const size_t end = text.find('\n', start);
    numbered.events.push_back(number < progress.lines ? std::nullopt : eventFrom(text.substr(start, end - start), number));
    start = end + 1;
  }
  return numbered;
}

// The "started" event at the head of a run's events, if there is one.
std::optional<run::StartedEvent> startOf(const fs::path& events, double& time) {
  const auto text = readLines(events, 0);
  if (!text.ok()) return std::nullopt;
  const auto event = run::parseEvent(text->substr(0, text->find('\n')));
  if (!event.ok() || !std::holds_alternative<run::StartedEvent>(event->body)) return std::nullopt;
  time = event->time;
  return std::get<run::StartedEvent>(event->body);
}

RunRecord recordFrom(const run::RunConfig& config) {
  RunRecord run;
  run.model = run::modelName(config.model);
  run.dataset = config.dataset.train;
  run.policy = config.memory.policy;
  run.ranks = config.parallel.ranks;
  run.maxSteps = config.training.maxSteps;
  return run;
}

}  // namespace

Status RunStore::applyEvents(const std::string& runId, int64_t firstLine, const std::vector<run::Event>& events) {
  return guarded(impl_->path, [&]() -> Status {
    Database& db = impl_->database;
    TIDEMARK_ASSIGN(Progress progress, progressOf(db, runId));
    if (firstLine > progress.lines) {  // events before these could not be applied in their time
      auto imported = importNewEvents(runId);
      if (!imported.ok()) return imported.error();
      TIDEMARK_ASSIGN(progress, progressOf(db, runId));
    }
    if (firstLine < 0 || firstLine > progress.lines)
      return Error{ErrorCode::InvalidInput, "run " + runId,
                   "has no event line " + std::to_string(progress.lines) + " yet, and line " + std::to_string(firstLine) +
                       " was to be applied"};
    auto applied = applyNew(db, runId, {firstLine, {events.begin(), events.end()}, -1});
    if (!applied.ok()) return applied.error();
    return {};
  });
}

Result<int64_t> RunStore::importNewEvents(const std::string& runId) {
  return guarded(impl_->path, [&]() -> Result<int64_t> {
    int64_t total = 0;
    for (;;) {
      TIDEMARK_ASSIGN(const Progress progress, progressOf(impl_->database, runId));
      TIDEMARK_ASSIGN(const std::string text, readLines(fs::path(progress.directory) / "events.jsonl", progress.knownOffset));
      if (text.empty()) return total;
      TIDEMARK_ASSIGN(const int64_t applied, applyNew(impl_->database, runId, parseLines(text, progress)));
      total += applied;
    }
  });
}

Result<std::string> RunStore::importDirectory(const fs::path& given) {
  std::error_code failure;
  const fs::path directory = fs::canonical(given, failure);
  if (failure) return Error{ErrorCode::NotFound, given.string(), "is no run directory: " + failure.message()};
  return guarded(impl_->path, [&]() -> Result<std::string> {
    std::string known;
    {
      Query byDirectory = impl_->database.query("SELECT id FROM runs WHERE directory = ? ORDER BY created_at DESC");
      if (byDirectory.bind(directory.string()).next()) known = byDirectory.text(0);
    }
    if (known.empty()) return importUnknownDirectory(directory);
    TIDEMARK_ASSIGN([[maybe_unused]] const int64_t lines, importNewEvents(known));
    return known;
  });
}

Result<std::string> RunStore::importUnknownDirectory(const fs::path& directory) {
  TIDEMARK_ASSIGN(const run::ParsedConfig parsed, run::loadConfig((directory / "config.yaml").string(), {}));
  TIDEMARK_ASSIGN(const std::string yaml, readFile(directory / "config.yaml"));
  RunRecord record = recordFrom(parsed.config);
  record.directory = directory.string();
  record.configYaml = yaml;
  record.name = directory.filename().string();
  if (const auto started = startOf(directory / "events.jsonl", record.createdAt)) {
    if (!started->name.empty()) record.name = started->name;
    if (isRunId(started->run)) record.id = started->run;
  }
  const auto same = run(record.id);
  std::error_code ignored;
  if (same.ok() && !fs::exists(same->directory, ignored)) return adoptMovedDirectory(record.id, directory);
  if (same.ok()) record.id.clear();  // a copy beside its original becomes a run of its own
  record.status = RunStatus::Lost;   // until its events tell of an end
  TIDEMARK_ASSIGN(const std::string id, createRun(record, run::flatten(parsed.config)));
  auto imported = importNewEvents(id);
  if (!imported.ok()) {
    if (const Status removed = deleteRun(id); !removed.ok()) return removed.error();
    return imported.error();
  }
  TIDEMARK_ASSIGN(const RunRecord now, run(id));
  if (now.status == RunStatus::Running) TIDEMARK_TRY(setStatus(id, RunStatus::Lost));
  return id;
}

Result<std::string> RunStore::adoptMovedDirectory(const std::string& id, const fs::path& directory) {
  impl_->database.query("UPDATE runs SET directory = ? WHERE id = ?").bind(directory.string(), id).run();
  TIDEMARK_ASSIGN([[maybe_unused]] const int64_t lines, importNewEvents(id));
  return id;
}

}  // namespace tidemark::storage
