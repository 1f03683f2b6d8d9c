// RunStore's sweeps: rows of "sweeps" and "sweep_points", and the runs' columns that name them.
#include <chrono>
#include <cmath>

#include "core/base/json.h"
#include "core/base/printable.h"
#include "storage/run_id.h"
#include "storage/store_impl.h"

namespace tidemark::storage {
namespace {

#define TIDEMARK_SWEEP_COLUMNS "id, name, status, description, objective, agent_pid, agent_start_ticks, created_at, finished_at"

constexpr SweepStatus kStatuses[] = {SweepStatus::Running, SweepStatus::Completed, SweepStatus::Stopped, SweepStatus::Lost};
constexpr PointState kStates[] = {PointState::Waiting, PointState::Running, PointState::Completed, PointState::StoppedEarly,
                                  PointState::Failed,  PointState::Refused, PointState::Stopped};

double now() { return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count(); }

Error noSuchSweep(const std::string& id) { return {ErrorCode::NotFound, "sweep " + id, "is not in the database"}; }

SweepRecord readSweep(Query& q) {
  SweepRecord sweep;
  sweep.id = q.text(0);
  sweep.name = q.text(1);
  for (const SweepStatus status : kStatuses)
    if (q.text(2) == statusName(status)) sweep.status = status;
  sweep.description = q.text(3);
  sweep.objective = q.text(4);
  sweep.agentPid = q.integer(5);
  sweep.agentStartTicks = q.integer(6);
  sweep.createdAt = q.real(7);
  sweep.finishedAt = q.real(8);
  return sweep;
}

std::vector<SweepRecord> readSweeps(Query& query) {
  std::vector<SweepRecord> found;
  while (query.next()) found.push_back(readSweep(query));
  return found;
}

std::string jsonOf(const std::vector<std::pair<std::string, std::string>>& values) {
  Json json = Json::array();
  for (const auto& [key, value] : values) json.push_back(Json::array({key, value}));
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::vector<std::pair<std::string, std::string>> valuesFrom(const std::string& text) {
  std::vector<std::pair<std::string, std::string>> values;
  for (const Json& pair : Json::parse(text, nullptr, false)) {
    if (pair.is_array() && pair.size() == 2 && pair[0].is_string() && pair[1].is_string())
      values.emplace_back(pair[0].get<std::string>(), pair[1].get<std::string>());
  }
  return values;
}

SweepPoint readPoint(Query& q) {
  SweepPoint point;
  point.number = q.integer(0);
  point.values = valuesFrom(q.text(1));
  point.seed = q.integer(2);
  for (const PointState state : kStates)
    if (q.text(3) == stateName(state)) point.state = state;
  point.run = q.text(4);
  point.reason = q.text(5);
  point.objective = q.optionalReal(6);
  point.step = q.integer(7);
  return point;
}

}  // namespace

const char* statusName(SweepStatus status) {
  switch (status) {
    case SweepStatus::Running: return "running";
    case SweepStatus::Completed: return "completed";
    case SweepStatus::Stopped: return "stopped";
    case SweepStatus::Lost: return "lost";
  }
  return "lost";
}

const char* stateName(PointState state) {
  switch (state) {
    case PointState::Waiting: return "waiting";
    case PointState::Running: return "running";
    case PointState::Completed: return "completed";
    case PointState::StoppedEarly: return "stopped early";
    case PointState::Failed: return "failed";
    case PointState::Refused: return "refused";
    case PointState::Stopped: return "stopped";
  }
  return "waiting";
}

bool isDone(PointState state) {
  return state == PointState::Completed || state == PointState::StoppedEarly || state == PointState::Failed || state == PointState::Refused;
}

int64_t bestPoint(const std::vector<SweepPoint>& points, Wanted wanted) {
  const SweepPoint* best = nullptr;
  for (const SweepPoint& point : points) {
    if (point.state != PointState::Completed || !point.objective || !std::isfinite(*point.objective)) continue;
    const bool isBetter = !best || (wanted == Wanted::Greatest ? *point.objective > *best->objective : *point.objective < *best->objective);
    if (isBetter) best = &point;
  }
  return best ? best->number : -1;
}

Result<std::string> RunStore::createSweep(const SweepRecord& given, const std::vector<SweepPoint>& points) {
  return guarded(impl_->path, [&]() -> Result<std::string> {
    SweepRecord sweep = given;
    if (sweep.id.empty()) sweep.id = newRunId();
    if (sweep.createdAt == 0) sweep.createdAt = now();
    Database& db = impl_->database;
    Transaction transaction(db, Transaction::Kind::Write);
    db.query("INSERT INTO sweeps (" TIDEMARK_SWEEP_COLUMNS ") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)")
        .bind(sweep.id, sweep.name, statusName(sweep.status), sweep.description, sweep.objective, sweep.agentPid, sweep.agentStartTicks,
              sweep.createdAt, sweep.finishedAt)
        .run();
    const int64_t number = db.connection().getLastInsertRowid();
    for (const SweepPoint& point : points) {
      db.query("INSERT INTO sweep_points VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)")
          .bind(number, point.number, jsonOf(point.values), point.seed, stateName(point.state), point.run, point.reason, point.objective, point.step)
          .run();
    }
    transaction.commit();
    return sweep.id;
  });
}

Result<std::vector<SweepRecord>> RunStore::sweeps() const {
  return guarded(impl_->path, [&]() -> Result<std::vector<SweepRecord>> {
    Query query = impl_->database.query("SELECT " TIDEMARK_SWEEP_COLUMNS " FROM sweeps ORDER BY created_at DESC, id DESC");
    return readSweeps(query);
  });
}

Result<SweepRecord> RunStore::findSweep(const std::string& wanted) const {
  return guarded(impl_->path, [&]() -> Result<SweepRecord> {
    Query query = impl_->database.query("SELECT " TIDEMARK_SWEEP_COLUMNS " FROM sweeps WHERE id = ?1 OR name = ?1 OR "
                                        "(?1 <> '' AND substr(id, 1, length(?1)) = upper(?1)) ORDER BY (id = ?1) DESC, created_at DESC, id DESC");
    const auto found = readSweeps(query.bind(wanted));
    if (found.empty()) return Error{ErrorCode::NotFound, wanted, "is no sweep's id or name; `tidemark-cli sweep --list` lists them"};
    if (found.size() == 1 || found.front().id == wanted) return found.front();
    std::string detail = "may be any of " + std::to_string(found.size()) + " sweeps; give the id of one:";
    for (const SweepRecord& sweep : found) detail += "\n" + sweep.id + "  " + statusName(sweep.status) + "  " + oneLine(sweep.name);
    return Error{ErrorCode::InvalidInput, wanted, detail};
  });
}

Result<std::vector<SweepPoint>> RunStore::sweepPoints(const std::string& id) const {
  return guarded(impl_->path, [&]() -> Result<std::vector<SweepPoint>> {
    Query query = impl_->database.query(
        // A sweep that was killed may not have been told of its last run: that run knows.
        "SELECT point, \"values\", seed, state, CASE run_id WHEN '' THEN coalesce((SELECT runs.id FROM runs WHERE runs.sweep = sweeps.id "
        "AND sweep_point = point ORDER BY runs.created_at DESC LIMIT 1), '') ELSE run_id END, "
        "reason, sweep_points.objective, sweep_points.step FROM sweep_points JOIN sweeps ON sweep_points.sweep = sweeps.number "
        "WHERE sweeps.id = ? ORDER BY point");
    query.bind(id);
    std::vector<SweepPoint> points;
    while (query.next()) points.push_back(readPoint(query));
    return points;
  });
}

Status RunStore::setSweepPoint(const std::string& id, const SweepPoint& point) {
  return guarded(impl_->path, [&]() -> Status {
    Database& db = impl_->database;
    Transaction transaction(db, Transaction::Kind::Write);
    const int changed = db.query("UPDATE sweep_points SET state = ?, run_id = ?, reason = ?, objective = ?, step = ? "
                                 "WHERE sweep = (SELECT number FROM sweeps WHERE id = ?) AND point = ?")
                            .bind(stateName(point.state), point.run, point.reason, point.objective, point.step, id, point.number)
                            .run();
    if (changed == 0) return noSuchSweep(id);
    if (point.state == PointState::StoppedEarly)
      db.query("UPDATE runs SET message = ? WHERE id = ?").bind("stopped early: " + point.reason, point.run).run();
    transaction.commit();
    return {};
  });
}

Status RunStore::setSweepStatus(const std::string& id, SweepStatus status) {
  return guarded(impl_->path, [&]() -> Status {
    const double end = status == SweepStatus::Running ? 0 : now();
    Query update = impl_->database.query("UPDATE sweeps SET status = ?, finished_at = ? WHERE id = ?");
    if (update.bind(statusName(status), end, id).run() == 0) return noSuchSweep(id);
    return {};
  });
}

Status RunStore::setSweepAgent(const std::string& id, int64_t pid, int64_t startTicks) {
  return guarded(impl_->path, [&]() -> Status {
    Query update = impl_->database.query("UPDATE sweeps SET agent_pid = ?, agent_start_ticks = ? WHERE id = ?");
    if (update.bind(pid, startTicks, id).run() == 0) return noSuchSweep(id);
    return {};
  });
}

Status RunStore::deleteSweep(const std::string& id) {
  return guarded(impl_->path, [&]() -> Status {
    Database& db = impl_->database;
    Transaction transaction(db, Transaction::Kind::Write);
    if (db.query("DELETE FROM sweeps WHERE id = ?").bind(id).run() == 0) return noSuchSweep(id);
    db.query("UPDATE runs SET sweep = '', sweep_point = -1 WHERE sweep = ?").bind(id).run();
    transaction.commit();
    return {};
  });
}

}  // namespace tidemark::storage
