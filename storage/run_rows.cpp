#include "storage/run_rows.h"

#include <filesystem>

namespace tidemark::storage {
namespace fs = std::filesystem;

namespace {

constexpr RunStatus kStatuses[] = {RunStatus::Queued,  RunStatus::Running, RunStatus::Stopping, RunStatus::Completed,
                                   RunStatus::Stopped, RunStatus::Failed,  RunStatus::Lost};

}  // namespace

const char* statusName(RunStatus status) {
  switch (status) {
    case RunStatus::Queued: return "queued";
    case RunStatus::Running: return "running";
    case RunStatus::Stopping: return "stopping";
    case RunStatus::Completed: return "completed";
    case RunStatus::Stopped: return "stopped";
    case RunStatus::Failed: return "failed";
    case RunStatus::Lost: return "lost";
  }
  return "lost";
}

RunStatus statusFromName(const std::string& name) {
  for (const RunStatus status : kStatuses)
    if (name == statusName(status)) return status;
  assert(false);  // the table checks its values
  return RunStatus::Lost;
}

void bindRun(Query& query, const RunRecord& run) {
  query.bind(run.id, run.name, run.directory, statusName(run.status), run.model, run.modelFormat, run.dataset, run.policy,
             run.ranks, run.agentPid, run.agentStartTicks, run.createdAt, run.finishedAt, run.step, run.maxSteps);
  query.bind(run.loss, run.evalLoss, run.tokensPerSecond, run.secondsPerStep, run.peakBytes, run.budgetBytes,
             run.remoteBytesPerIteration, run.exitCode, run.message, run.adapter, run.configYaml, run.parameters,
             run.trainableParameters, run.sweep, run.sweepPoint);
}

RunRecord readRun(Query& q) {
  RunRecord run;
  int column = 0;
  for (auto* text : {&run.id, &run.name, &run.directory}) *text = q.text(column++);
  run.status = statusFromName(q.text(column++));
  for (auto* text : {&run.model, &run.modelFormat, &run.dataset, &run.policy}) *text = q.text(column++);
  for (auto* number : {&run.ranks, &run.agentPid, &run.agentStartTicks}) *number = q.integer(column++);
  for (auto* time : {&run.createdAt, &run.finishedAt}) *time = q.real(column++);
  for (auto* number : {&run.step, &run.maxSteps}) *number = q.integer(column++);
  for (auto* real : {&run.loss, &run.evalLoss, &run.tokensPerSecond, &run.secondsPerStep}) *real = q.optionalReal(column++);
  for (auto* number : {&run.peakBytes, &run.budgetBytes, &run.remoteBytesPerIteration, &run.exitCode})
    *number = q.optionalInteger(column++);
  for (auto* text : {&run.message, &run.adapter, &run.configYaml}) *text = q.text(column++);
  for (auto* number : {&run.parameters, &run.trainableParameters}) *number = q.integer(column++);
  run.sweep = q.text(column++);
  run.sweepPoint = q.integer(column++);
  run.adapter = placeInRun(run.adapter, "adapter", run.directory);
  return run;
}

std::string placeInRun(const std::string& recorded, const std::string& place, const std::string& directory) {
  const fs::path path(recorded);
  if (directory.empty()) return recorded;
  if (path.filename() == place) return (fs::path(directory) / place).string();
  if (path.parent_path().filename() == place) return (fs::path(directory) / place / path.filename()).string();
  return recorded;
}

Result<int64_t> runNumber(Database& database, const std::string& id) {
  Query query = database.query("SELECT number FROM runs WHERE id = ?");
  if (!query.bind(id).next()) return Error{ErrorCode::NotFound, "run " + id, "is not in the database"};
  return query.integer(0);
}

}  // namespace tidemark::storage
