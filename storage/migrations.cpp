#include "storage/migrations.h"

namespace tidemark::storage {
namespace {

// "TIDE"; tells our files from those of other programs.
constexpr int64_t kApplicationId = 0x54494445;

constexpr const char* kFirstSchema = R"sql(
CREATE TABLE runs (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  directory TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('queued', 'running', 'stopping', 'completed', 'stopped', 'failed', 'lost')),
  model TEXT NOT NULL, model_format TEXT NOT NULL, dataset TEXT NOT NULL, policy TEXT NOT NULL,
  ranks INTEGER NOT NULL,
  agent_pid INTEGER NOT NULL, agent_start_ticks INTEGER NOT NULL,
  created_at REAL NOT NULL, finished_at REAL NOT NULL,
  step INTEGER NOT NULL, max_steps INTEGER NOT NULL,
  loss REAL, eval_loss REAL, tokens_per_second REAL, seconds_per_step REAL,
  peak_bytes INTEGER, budget_bytes INTEGER, remote_bytes_per_iteration INTEGER, exit_code INTEGER,
  message TEXT NOT NULL, adapter TEXT NOT NULL, config_yaml TEXT NOT NULL,
  parameters INTEGER NOT NULL, trainable_parameters INTEGER NOT NULL,
  archived INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX runs_by_creation ON runs (created_at, id);
CREATE INDEX runs_by_name ON runs (name);
CREATE INDEX runs_by_directory ON runs (directory);

CREATE TABLE hyperparameters (
  run INTEGER NOT NULL REFERENCES runs (number) ON DELETE CASCADE,
  position INTEGER NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL,
  PRIMARY KEY (run, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX hyperparameters_by_value ON hyperparameters (key, value);

CREATE TABLE metrics (
  run INTEGER NOT NULL REFERENCES runs (number) ON DELETE CASCADE,
  rank INTEGER NOT NULL, step INTEGER NOT NULL, time REAL NOT NULL,
  loss REAL, tokens INTEGER NOT NULL, target_tokens INTEGER NOT NULL,
  seconds REAL, learning_rate REAL, grad_norm REAL,
  remote_bytes INTEGER NOT NULL, exchange_bytes INTEGER NOT NULL, stall_seconds REAL, iterations INTEGER NOT NULL,
  peak_bytes INTEGER NOT NULL, static_bytes INTEGER NOT NULL, dynamic_peak_bytes INTEGER NOT NULL,
  activation_peak_bytes INTEGER NOT NULL, workspace_peak_bytes INTEGER NOT NULL, trainable_bytes INTEGER NOT NULL,
  resident_bytes INTEGER NOT NULL,
  PRIMARY KEY (run, rank, step)
) STRICT, WITHOUT ROWID;

CREATE TABLE evaluations (
  run INTEGER NOT NULL REFERENCES runs (number) ON DELETE CASCADE,
  step INTEGER NOT NULL, time REAL NOT NULL, loss REAL, target_tokens INTEGER NOT NULL, rows INTEGER NOT NULL, seconds REAL,
  PRIMARY KEY (run, step)
) STRICT, WITHOUT ROWID;

CREATE TABLE operators (
  run INTEGER NOT NULL REFERENCES runs (number) ON DELETE CASCADE,
  rank INTEGER NOT NULL, operator INTEGER NOT NULL, name TEXT NOT NULL, trend TEXT NOT NULL,
  parameter_bytes INTEGER NOT NULL, remote_bytes INTEGER NOT NULL,
  activation_bytes INTEGER NOT NULL, workspace_bytes INTEGER NOT NULL,
  forward_seconds REAL, backward_seconds REAL, gather_seconds REAL, saved INTEGER NOT NULL,
  PRIMARY KEY (run, rank, operator)
) STRICT, WITHOUT ROWID;

CREATE TABLE timelines (
  run INTEGER NOT NULL REFERENCES runs (number) ON DELETE CASCADE,
  rank INTEGER NOT NULL, iteration INTEGER NOT NULL, step INTEGER NOT NULL, budget_bytes INTEGER NOT NULL,
  points BLOB NOT NULL,
  PRIMARY KEY (run, rank, iteration)
) STRICT;

CREATE TABLE plans (
  run INTEGER NOT NULL REFERENCES runs (number) ON DELETE CASCADE,
  rank INTEGER NOT NULL, line INTEGER NOT NULL, time REAL NOT NULL,
  budget_bytes INTEGER NOT NULL, micro_batch INTEGER NOT NULL, accumulate INTEGER NOT NULL,
  predicted_peak_bytes INTEGER NOT NULL, predicted_remote_bytes INTEGER NOT NULL, optimal_remote_bytes INTEGER NOT NULL,
  predicted_seconds REAL, prefetch_depth INTEGER NOT NULL, policy TEXT NOT NULL, reason TEXT NOT NULL,
  boundary_bytes TEXT NOT NULL, turn_bytes TEXT NOT NULL, piece_remote_bytes TEXT NOT NULL,
  PRIMARY KEY (run, rank, line)
) STRICT;

CREATE TABLE models (
  run INTEGER PRIMARY KEY REFERENCES runs (number) ON DELETE CASCADE,
  name TEXT NOT NULL, format TEXT NOT NULL, architecture TEXT NOT NULL,
  parameters INTEGER NOT NULL, trainable_parameters INTEGER NOT NULL, layers INTEGER NOT NULL,
  hidden_size INTEGER NOT NULL, vocabulary_size INTEGER NOT NULL, frozen_bytes INTEGER NOT NULL, device TEXT NOT NULL
) STRICT;

CREATE TABLE datasets (
  run INTEGER PRIMARY KEY REFERENCES runs (number) ON DELETE CASCADE,
  train_rows INTEGER NOT NULL, eval_rows INTEGER NOT NULL, train_tokens INTEGER NOT NULL,
  dropped_long INTEGER NOT NULL, truncated INTEGER NOT NULL, without_loss INTEGER NOT NULL, hash TEXT NOT NULL
) STRICT;

CREATE TABLE checkpoints (
  run INTEGER NOT NULL REFERENCES runs (number) ON DELETE CASCADE,
  step INTEGER NOT NULL, time REAL NOT NULL, path TEXT NOT NULL,
  PRIMARY KEY (run, step)
) STRICT, WITHOUT ROWID;

CREATE TABLE samples (
  run INTEGER NOT NULL REFERENCES runs (number) ON DELETE CASCADE,
  line INTEGER NOT NULL, step INTEGER NOT NULL, time REAL NOT NULL, prompt TEXT NOT NULL, text TEXT NOT NULL,
  PRIMARY KEY (run, line)
) STRICT;

CREATE TABLE log (
  run INTEGER NOT NULL REFERENCES runs (number) ON DELETE CASCADE,
  line INTEGER NOT NULL, time REAL NOT NULL, rank INTEGER NOT NULL, level TEXT NOT NULL, text TEXT NOT NULL,
  PRIMARY KEY (run, line)
) STRICT;

CREATE TABLE tags (
  run INTEGER NOT NULL REFERENCES runs (number) ON DELETE CASCADE,
  tag TEXT NOT NULL,
  PRIMARY KEY (run, tag)
) STRICT, WITHOUT ROWID;

CREATE TABLE notes (
  run INTEGER PRIMARY KEY REFERENCES runs (number) ON DELETE CASCADE,
  text TEXT NOT NULL, time REAL NOT NULL
) STRICT;

CREATE TABLE events_applied (
  run INTEGER PRIMARY KEY REFERENCES runs (number) ON DELETE CASCADE,
  lines INTEGER NOT NULL,
  known_line INTEGER NOT NULL, known_offset INTEGER NOT NULL
) STRICT;
)sql";

constexpr const char* kSweeps = R"sql(
CREATE TABLE sweeps (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('running', 'completed', 'stopped', 'lost')),
  description TEXT NOT NULL, objective TEXT NOT NULL,
  agent_pid INTEGER NOT NULL, agent_start_ticks INTEGER NOT NULL,
  created_at REAL NOT NULL, finished_at REAL NOT NULL
) STRICT;

CREATE TABLE sweep_points (
  sweep INTEGER NOT NULL REFERENCES sweeps (number) ON DELETE CASCADE,
  point INTEGER NOT NULL, "values" TEXT NOT NULL, seed INTEGER NOT NULL,
  state TEXT NOT NULL
    CHECK (state IN ('waiting', 'running', 'completed', 'stopped early', 'failed', 'refused', 'stopped')),
  run_id TEXT NOT NULL, reason TEXT NOT NULL, objective REAL, step INTEGER NOT NULL,
  PRIMARY KEY (sweep, point)
) STRICT, WITHOUT ROWID;

ALTER TABLE runs ADD COLUMN sweep TEXT NOT NULL DEFAULT '';
ALTER TABLE runs ADD COLUMN sweep_point INTEGER NOT NULL DEFAULT -1;
CREATE INDEX runs_by_sweep ON runs (sweep, sweep_point);
)sql";

constexpr Migration kMigrations[] = {{kFirstSchema}, {kSweeps}};

int64_t pragma(Database& database, const char* sql) { return database.connection().execAndGet(sql).getInt64(); }

struct FileState {
  int64_t version = 0;
  bool isForeign = false;  // has tables that we did not make
};

// All of it as of one moment: another process may be migrating.
FileState stateOf(Database& database) {
  Transaction transaction(database, Transaction::Kind::Read);
  const int64_t version = pragma(database, "PRAGMA user_version");
  const bool isOurs = pragma(database, "PRAGMA application_id") == kApplicationId;
  return {version, !isOurs && pragma(database, "SELECT count(*) FROM sqlite_master") > 0};
}

}  // namespace

std::span<const Migration> migrations() { return kMigrations; }

Status migrate(Database& database, const std::filesystem::path& path, std::span<const Migration> steps) {
  const auto known = static_cast<int64_t>(steps.size());
  for (;;) {
    const FileState state = stateOf(database);
    if (state.isForeign) return Error{ErrorCode::InvalidInput, path.string(), "is a database of another program"};
    if (state.version > known)
      return Error{ErrorCode::Unsupported, path.string(),
                   "has schema version " + std::to_string(state.version) + ", and this program knows versions up to " +
                       std::to_string(known) + "; use a newer Tidemark"};
    if (state.version == known) return {};
    Transaction transaction(database, Transaction::Kind::Write);
    if (pragma(database, "PRAGMA user_version") != state.version) continue;  // another process was faster
    database.execute(steps[static_cast<size_t>(state.version)].sql);
    database.execute(("PRAGMA user_version = " + std::to_string(state.version + 1)).c_str());
    database.execute(("PRAGMA application_id = " + std::to_string(kApplicationId)).c_str());
    transaction.commit();
  }
}

}  // namespace tidemark::storage
